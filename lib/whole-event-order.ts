import { OutOfTurn } from './handle/handled.ts';
import { lanesOf, runLanes } from './handle/lanes.ts';
import type { MessageResult, Passenger } from './passenger.ts';

/**
 * Settles the messages that were at the handler, by place among them, and waits for those without a result. In a FIFO queue
 * outcomes land in send order, and what was collected out of turn does not land.
 */
export function settleInOrder(
  passengers: readonly Passenger[],
  riders: readonly Passenger[],
  concurrency: number,
  resultOf: (place: number) => MessageResult | undefined,
): Promise<void> {
  const places = new Map(riders.map((rider, place) => [rider, place]));
  const stopped = new Set<string | undefined>();
  return runLanes(
    lanesOf(
      passengers.filter((passenger) => places.has(passenger) || mayStopItsGroup(passenger, riders)),
      ({ captured }) => captured.fifoGroup,
    ),
    concurrency,
    async (passenger) => {
      const { fifoGroup } = passenger.captured;
      const place = places.get(passenger);
      const result = place === undefined ? undefined : resultOf(place);
      const ending = await (result === undefined
        ? passenger.ending
        : passenger.finish(stopped.has(fifoGroup) ? afterUnsettled(result) : result));
      if (fifoGroup !== undefined && ending?.status === 'returned') stopped.add(fifoGroup);
      return 'settled';
    },
    () => {},
  );
}

/**
 * A message of a FIFO group that did not get to the handler, and whose end shows before it is waited for: one
 * that follows another may be returned when that one is parked. Its first, if it is of another group, may be
 * settled only after it.
 */
function mayStopItsGroup(
  { captured: { fifoGroup }, ending, stop, rowKey }: Passenger,
  riders: readonly Passenger[],
): boolean {
  if (fifoGroup === undefined || ending === undefined) return false;
  return (
    stop !== 'follows' ||
    riders.some((rider) => rider.captured.fifoGroup === fifoGroup && rider.rowKey === rowKey)
  );
}

function afterUnsettled(result: MessageResult): MessageResult {
  return result.status === 'fulfilled' ? { ...result, value: new OutOfTurn(result.value) } : result;
}

export const missingResult: MessageResult = {
  status: 'rejected',
  reason: new Error('the handler answered with fewer results than it was given records'),
};
