import { parse } from 'yaml';
import {
  allOf,
  environmentOf,
  namesIn,
  type Resources,
  statementsOf,
  storedParts,
} from './cloudformation.ts';
import { rightsOf, type Wiring } from './wiring.ts';

/** CloudFormation's short forms, as the long ones that CDK writes. */
const customTags = [
  { tag: '!Ref', resolve: (id: string) => ({ Ref: id }) },
  { tag: '!Sub', resolve: (text: string) => ({ 'Fn::Sub': text }) },
  {
    tag: '!GetAtt',
    resolve: (text: string) => {
      const [id = '', ...attribute] = text.split('.');
      return { 'Fn::GetAtt': [id, attribute.join('.')] };
    },
  },
];

const samResources = (sam: string): Resources => parse(sam, { customTags }).Resources;

/** A template for AWS SAM. */
export function samWiring(sam: string): Wiring {
  const resources = samResources(sam);
  const named = namesIn(resources);
  const [fn] = allOf(resources, /^AWS::Serverless::Function$/);
  const { Queue, BatchSize, FunctionResponseTypes } = fn.Events.Queue.Properties;
  return {
    ...storedParts(resources),
    mapping: { from: named(Queue), batchSize: BatchSize, responses: FunctionResponseTypes },
    function: {
      runtime: fn.Runtime,
      architecture: fn.Architectures[0],
      timeoutSeconds: fn.Timeout,
      memoryMegabytes: fn.MemorySize,
    },
    environment: environmentOf(fn.Environment.Variables, named),
    rights: rightsOf(statementsOf(fn.Policies[0].Statement, named)),
  };
}

/** A `serverless.yml` that names the resources it shares with the SAM template: "…, and X as under SAM". */
export function serverlessWiring(serverless: string, sam: string): Wiring {
  const shared = /Resources: # (.+) as under SAM/.exec(serverless)?.[1]?.split(/, | and /) ?? [];
  const known = samResources(sam);
  const resources = Object.fromEntries(shared.flatMap((id) => (known[id] ? [[id, known[id]]] : [])));
  const named = namesIn(resources);
  const { provider, functions } = parse(serverless, { customTags });
  const { arn, batchSize, functionResponseType } = functions.consumer.events[0].sqs;
  return {
    ...storedParts(resources),
    mapping: { from: named(arn), batchSize, responses: [functionResponseType] },
    function: {
      runtime: provider.runtime,
      architecture: provider.architecture,
      timeoutSeconds: provider.timeout,
      memoryMegabytes: provider.memorySize,
    },
    environment: environmentOf(provider.environment, named),
    rights: rightsOf(statementsOf(provider.iam.role.statements, named)),
  };
}
