/**
 * Work in lanes: a lane's items run one after the other and stop at the first that was not settled; lanes
 * run beside each other, at most `concurrency` at a time. A FIFO group is a lane; elsewhere every message is
 * one of its own.
 */
export async function runLanes<Item>(
  lanes: readonly (readonly Item[])[],
  concurrency: number,
  work: (item: Item) => Promise<'settled' | 'unsettled'>,
  skip: (item: Item) => void,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < lanes.length) {
      const lane = lanes[next] ?? [];
      next += 1;
      await runLane(lane, work, skip);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, lanes.length) }, worker));
}

async function runLane<Item>(
  lane: readonly Item[],
  work: (item: Item) => Promise<'settled' | 'unsettled'>,
  skip: (item: Item) => void,
): Promise<void> {
  let stopped = false;
  for (const item of lane) {
    if (stopped) skip(item);
    else stopped = (await work(item)) === 'unsettled';
  }
}

/** Messages by FIFO group in order of arrival; without groups each is a lane of its own. */
export function lanesOf<Item>(
  items: readonly Item[],
  groupOf: (item: Item) => string | undefined,
): readonly (readonly Item[])[] {
  const lanes: Item[][] = [];
  const byGroup = new Map<string, Item[]>();
  for (const item of items) {
    const group = groupOf(item);
    const lane = group === undefined ? undefined : byGroup.get(group);
    if (lane !== undefined) {
      lane.push(item);
      continue;
    }
    const fresh = [item];
    lanes.push(fresh);
    if (group !== undefined) byGroup.set(group, fresh);
  }
  return lanes;
}
