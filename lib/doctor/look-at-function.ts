import {
  type EventSourceMappingConfiguration,
  GetFunctionConcurrencyCommand,
  GetFunctionConfigurationCommand,
  ListEventSourceMappingsCommand,
} from '@aws-sdk/client-lambda';
import { type Clients, lookAt } from './clients.ts';
import type { FunctionFacts, MappingFacts, Seen } from './facts.ts';

/** A function by its name or ARN. */
export function lookAtFunction({ lambda }: Clients, nameOrArn: string): Promise<Seen<FunctionFacts>> {
  return lookAt(async () => {
    const configuration = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName: nameOrArn }));
    const concurrency = new GetFunctionConcurrencyCommand({ FunctionName: nameOrArn });
    const variables = Object.entries(configuration.Environment?.Variables ?? {});
    return {
      name: configuration.FunctionName ?? nameOrArn,
      timeoutSeconds: configuration.Timeout ?? 3,
      runtime: configuration.Runtime,
      roleArn: configuration.Role,
      reservedConcurrency: await lookAt(
        async () => (await lambda.send(concurrency)).ReservedConcurrentExecutions,
      ),
      environment: Object.fromEntries(variables.filter(([name]) => name.startsWith('SQS_ONCE_'))),
    };
  });
}

/** The mappings between queues and functions, as far as they are named. */
export async function mappingsOf(
  { lambda }: Clients,
  asked: { readonly queueArn?: string | undefined; readonly functionName?: string | undefined },
): Promise<readonly MappingFacts[]> {
  const found: MappingFacts[] = [];
  let Marker: string | undefined;
  do {
    const page = await lambda.send(
      new ListEventSourceMappingsCommand({
        ...(asked.queueArn !== undefined ? { EventSourceArn: asked.queueArn } : {}),
        ...(asked.functionName !== undefined ? { FunctionName: asked.functionName } : {}),
        ...(Marker !== undefined ? { Marker } : {}),
      }),
    );
    found.push(...(page.EventSourceMappings ?? []).filter(isOfSqs).map(mappingFacts));
    Marker = page.NextMarker;
  } while (Marker !== undefined);
  return found;
}

function isOfSqs({ EventSourceArn = '' }: EventSourceMappingConfiguration): boolean {
  return EventSourceArn.split(':')[2] === 'sqs';
}

export function mappingFacts(mapping: EventSourceMappingConfiguration): MappingFacts {
  return {
    queueArn: mapping.EventSourceArn ?? '',
    functionName: mapping.FunctionArn ?? '',
    state: mapping.State ?? 'unknown',
    batchSize: mapping.BatchSize ?? 10,
    batchingWindowSeconds: mapping.MaximumBatchingWindowInSeconds ?? 0,
    partialResponses: (mapping.FunctionResponseTypes ?? []).includes('ReportBatchItemFailures'),
    maxConcurrency: mapping.ScalingConfig?.MaximumConcurrency,
  };
}
