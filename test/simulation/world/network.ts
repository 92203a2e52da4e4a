import type { Process } from './process.ts';
import type { World } from './world.ts';

/** What the other side does with a request. It may throw what the caller is to get. */
type Land<Answer> = () => Answer | Promise<Answer>;

export interface Call<Answer> {
  /** For the timeline. */
  readonly name: string;
  readonly land: Land<Answer>;
  readonly signal?: AbortSignal | undefined;
  /** What a busy other side answers, when it does not carry the request out; one is picked. */
  readonly refusals: { readonly throttled: () => Error; readonly conflict?: () => Error };
  /** How long the client waits for an answer before it gives up by itself. */
  readonly patienceMillis: number;
}

type Reply<Answer> =
  | { readonly status: 'answered'; readonly answer: Answer }
  | { readonly status: 'failed'; readonly error: unknown };

/** A call over the network: it takes its time, and may be lost, refused or carried out twice. */
export function callOver<Answer>(world: World, process: Process, call: Call<Answer>): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    if (!process.isAlive) return;
    if (call.signal?.aborted) return reject(abortError());
    call.signal?.addEventListener('abort', () => reject(abortError()), { once: true });

    const settle = (reply: Reply<Answer>) => {
      const arrive = () => (reply.status === 'answered' ? resolve(reply.answer) : reject(reply.error));
      world.agenda.after(flightMillis(world), () => process.deliver(arrive));
    };
    const giveUp = () => {
      world.tell(process.name, `${call.name}: no answer`);
      world.agenda.after(world.dice.spread(100, call.patienceMillis), () =>
        process.deliver(() => reject(connectionError())),
      );
    };
    travel(world, process, call, settle, giveUp);
  });
}

function travel<Answer>(
  world: World,
  process: Process,
  call: Call<Answer>,
  settle: (reply: Reply<Answer>) => void,
  giveUp: () => void,
): void {
  const { faults, agenda, plan } = world;
  const refusal = refusalOf(world, call);
  if (faults.strikes(plan.rates.lostRequest)) {
    giveUp();
    return;
  }
  const landing = async (how: string): Promise<Reply<Answer>> => {
    if (how !== '') world.tell(process.name, `${call.name}: ${how}`);
    return replyOf(call.land);
  };
  agenda.after(flightMillis(world), async () => {
    if (refusal !== undefined) {
      world.tell(process.name, `${call.name}: ${refusal.name}`);
      return settle({ status: 'failed', error: refusal });
    }
    const reply = await landing('');
    if (faults.strikes(plan.rates.lateCopy)) {
      agenda.after(
        world.dice.spread(100, longestDelayMillis(world)),
        async () => void (await landing('a copy comes late')),
      );
    }
    if (faults.strikes(plan.rates.lostReply)) return giveUp();
    if (!faults.strikes(plan.rates.retriedByClient)) return settle(reply);
    agenda.after(world.dice.spread(50, 3_000), async () => settle(await landing('the client tries again')));
  });
}

async function replyOf<Answer>(land: Land<Answer>): Promise<Reply<Answer>> {
  try {
    return { status: 'answered', answer: await land() };
  } catch (error) {
    return { status: 'failed', error };
  }
}

function refusalOf<Answer>(world: World, { refusals }: Call<Answer>): Error | undefined {
  if (world.faults.strikes(world.plan.rates.throttled)) return refusals.throttled();
  if (refusals.conflict !== undefined && world.faults.strikes(world.plan.rates.conflict))
    return refusals.conflict();
  return undefined;
}

/** One way through the network. */
function flightMillis({ dice, faults, plan }: World): number {
  return faults.strikes(plan.rates.slow) ? dice.spread(500, 12_000) : dice.spread(1, 25);
}

/** No network keeps a request for longer than a table keeps its rows. */
function longestDelayMillis({ plan }: World): number {
  return plan.shortRetention ? 60_000 : 300_000;
}

export function abortError(): Error {
  return Object.assign(new Error('Request aborted'), { name: 'AbortError' });
}

function connectionError(): Error {
  return Object.assign(new Error('the connection was cut'), { name: 'TimeoutError', code: 'ECONNRESET' });
}
