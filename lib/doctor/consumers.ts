import { ListStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { GetEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { type Clients, lookAt } from './clients.ts';
import { type Facts, type MappingFacts, type QueueFacts, type Seen, seen } from './facts.ts';
import { lookAtFunction, mappingFacts, mappingsOf } from './look-at-function.ts';
import { lookAtQueue } from './look-at-queue.ts';
import { lookAtAlarms, lookAtRights } from './look-at-surroundings.ts';
import { lookAtTable } from './look-at-table.ts';

/** What a person names; the rest is found from there. */
export interface Named {
  readonly queue?: string | undefined;
  readonly function?: string | undefined;
  readonly table?: string | undefined;
  readonly stack?: string | undefined;
}

/** One consumer and what was seen of it. */
export interface Patient {
  readonly name: string;
  readonly facts: Facts;
}

/** Looks at every consumer that what is named leads to. */
export async function lookAtConsumers(clients: Clients, named: Named): Promise<readonly Patient[]> {
  const { stack } = named;
  if (stack !== undefined) {
    const mappings = await mappingsOfStack(clients, stack).catch((cause: Error) => {
      const why = `${cause.name}: ${cause.message}`;
      throw new Error(
        `--stack is ${stack}, which cannot be looked at (${why}); give the name of a stack that is there, and see that Region, credentials and network lead to it`,
        { cause },
      );
    });
    if (mappings.length === 0)
      throw new Error(`the stack ${stack} has no event source mapping of an SQS queue`);
    return Promise.all(
      mappings.map((mapping) => lookAtConsumer(clients, { status: 'seen', part: mapping }, named)),
    );
  }
  const queue = named.queue === undefined ? undefined : await lookAtQueue(clients, named.queue);
  if (queue !== undefined && queue.status !== 'seen') {
    // Asked without an ARN, Lambda lists the mappings of all queues, and a stranger's good health would be told.
    return [await lookAtConsumer(clients, notNamed('its queue was not found'), named)];
  }
  const asked = { queueArn: queue?.part.arn, functionName: named.function };
  const mappings = await lookAt(() => mappingsOf(clients, asked));
  const found = seen(mappings) ?? [];
  if (found.length === 0) {
    const nothing: Seen<MappingFacts> = mappings.status === 'unseen' ? mappings : { status: 'missing' };
    return [await lookAtConsumer(clients, nothing, named)];
  }
  return Promise.all(
    found.map((mapping) => lookAtConsumer(clients, { status: 'seen', part: mapping }, named)),
  );
}

async function mappingsOfStack(clients: Clients, stack: string): Promise<readonly MappingFacts[]> {
  const mappings: MappingFacts[] = [];
  let NextToken: string | undefined;
  do {
    const page = await clients.cloudFormation.send(
      new ListStackResourcesCommand({ StackName: stack, ...(NextToken !== undefined ? { NextToken } : {}) }),
    );
    for (const { ResourceType, PhysicalResourceId } of page.StackResourceSummaries ?? []) {
      if (ResourceType === 'AWS::CloudFormation::Stack' && PhysicalResourceId !== undefined) {
        mappings.push(...(await mappingsOfStack(clients, PhysicalResourceId)));
      }
      if (ResourceType !== 'AWS::Lambda::EventSourceMapping') continue;
      const mapping = await clients.lambda.send(
        new GetEventSourceMappingCommand({ UUID: PhysicalResourceId }),
      );
      if ((mapping.EventSourceArn ?? '').split(':')[2] === 'sqs') mappings.push(mappingFacts(mapping));
    }
    NextToken = page.NextToken;
  } while (NextToken !== undefined);
  return mappings;
}

const notNamed = (why: string): Seen<never> => ({ status: 'unseen', why });

async function lookAtConsumer(clients: Clients, mapping: Seen<MappingFacts>, named: Named): Promise<Patient> {
  const queueName = seen(mapping)?.queueArn ?? named.queue;
  const functionName = seen(mapping)?.functionName ?? named.function;
  const queue =
    queueName === undefined
      ? notNamed('no mapping leads to it; give --queue')
      : await lookAtQueue(clients, queueName);
  const fn =
    functionName === undefined
      ? notNamed('no mapping leads to it; give --function')
      : await lookAtFunction(clients, functionName);
  const tableName = named.table ?? seen(fn)?.environment.SQS_ONCE_TABLE;
  const table =
    tableName !== undefined
      ? await lookAtTable(clients, tableName)
      : fn.status === 'seen'
        ? ({ status: 'missing' } as const)
        : notNamed('the function could not be asked for it; give --table');
  const deadLetterQueue = await lookAtTarget(clients, queue);
  const dead = seen(deadLetterQueue);
  const roleArn = seen(fn)?.roleArn;
  const deeds = {
    queueArn: seen(queue)?.arn,
    deadLetterQueueArn: dead?.arn,
    tableArn: seen(table)?.arn,
  };
  return {
    name: [seen(queue)?.name ?? queueName, seen(fn)?.name ?? functionName].filter(Boolean).join(' → '),
    facts: {
      mapping,
      queue,
      deadLetterQueue,
      function: fn,
      table,
      alarms:
        dead === undefined
          ? notNamed('no dead-letter queue was seen')
          : await lookAtAlarms(clients, dead.name),
      rights:
        roleArn === undefined ? notNamed('no role was seen') : await lookAtRights(clients, roleArn, deeds),
    },
  };
}

async function lookAtTarget(clients: Clients, queue: Seen<QueueFacts>): Promise<Seen<QueueFacts>> {
  const target = seen(queue)?.redrive?.targetArn;
  return target === undefined ? notNamed('no redrive policy names one') : lookAtQueue(clients, target);
}
