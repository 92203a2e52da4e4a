import { type Fault, type SeenRequest, startFaultyProxy } from '../faulty-proxy.ts';

// The network between workers and AWS as a process of its own:
// node lossy-proxy-process <DynamoDB's endpoint> <SQS's endpoint>
//
// It breaks the next writing call when its parent says so, and tells which one it was.

export type Service = 'dynamo' | 'sqs';

/** From the parent: what to do to the next writing call. */
export interface Order {
  readonly service: Service;
  readonly fault: Fault;
}

/** To the parent. */
export type ProxyWord =
  | { readonly type: 'listening'; readonly endpoints: Readonly<Record<Service, string>> }
  | { readonly type: 'broken'; readonly kind: Fault['kind']; readonly target: string };

const [dynamoEndpoint = '', sqsEndpoint = ''] = process.argv.slice(2);
const orders: Record<Service, Fault[]> = { dynamo: [], sqs: [] };

process.on('message', ({ service, fault }: Order) => orders[service].push(fault));
// Without its parent nobody needs it.
process.once('disconnect', () => process.exit());

const dynamo = await startFaultyProxy(dynamoEndpoint, { faultOf: faultsOf('dynamo'), keepAlive: true });
const sqs = await startFaultyProxy(sqsEndpoint, { faultOf: faultsOf('sqs'), keepAlive: true });
tell({ type: 'listening', endpoints: { dynamo: dynamo.endpoint, sqs: sqs.endpoint } });

function faultsOf(service: Service) {
  return ({ target }: SeenRequest): Fault | undefined => {
    if (!/\.(Put|Update|Delete|Transact|Batch|Send|Change)/.test(target)) return undefined;
    const fault = orders[service].shift();
    if (fault !== undefined) tell({ type: 'broken', kind: fault.kind, target });
    return fault;
  };
}

function tell(word: ProxyWord): void {
  process.send?.(word);
}
