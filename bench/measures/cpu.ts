import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { stubbedClient, wirelessClient } from '../clients.ts';
import { freshEvent } from '../events.ts';
import { inTurns, type Measure, ratioAtMost, rowOf, rowOfTwo, type Samples } from '../measure.ts';
import { receiptWork } from '../sides/side.ts';
import { allSides, compared, comparedBatched, namesOf, opened } from '../sides/sides.ts';

const warmUps = 3;
const rounds = 20;

/** The processor's time for a message, without a network: the library alone, and with the SDK. */
export const cpu: Measure = {
  name: 'cpu',
  async run() {
    const library = await microsPerMessage(stubbedClient, 300);
    const both = await microsPerMessage(wirelessClient, 100);
    return [
      rowOf('library CPU per message, client stubbed', 'µs', library, compared, ratioAtMost(1)),
      rowOf('library and SDK CPU per message', 'µs', both, compared),
      rowOfTwo('… with batching', 'µs', both, comparedBatched, ratioAtMost(0.4)),
    ];
  },
};

async function microsPerMessage(makeClient: () => DynamoDBClient, batches: number): Promise<Samples> {
  const handlerOf = opened(allSides, (side) => side.open(makeClient(), receiptWork));
  const sample = async (name: string) => {
    const handler = handlerOf(name);
    const events = Array.from({ length: batches }, () => freshEvent(10));
    const before = process.cpuUsage();
    for (const event of events) await handler(event);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / (batches * 10);
  };
  await inTurns(namesOf(allSides), warmUps, sample);
  return inTurns(namesOf(allSides), rounds, sample);
}
