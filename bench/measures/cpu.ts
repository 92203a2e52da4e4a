import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { stubbedClient, wirelessClient } from '../clients.ts';
import { freshEvent } from '../events.ts';
import { inTurns, type Measure, ratioAtMost, rowOf, type Samples } from '../measure.ts';
import { receiptWork } from '../sides/side.ts';
import { allSides, compared, namesOf, opened } from '../sides/sides.ts';

const batchesPerSample = 300;
const warmUps = 5;
const rounds = 25;

/** The processor's time for a message, without a network: the library alone, and with the SDK. */
export const cpu: Measure = {
  name: 'cpu',
  async run() {
    return [
      rowOf(
        'library CPU per message, client stubbed',
        'µs',
        await microsPerMessage(stubbedClient),
        compared,
        ratioAtMost(1),
      ),
      rowOf('library and SDK CPU per message', 'µs', await microsPerMessage(wirelessClient), compared),
    ];
  },
};

async function microsPerMessage(makeClient: () => DynamoDBClient): Promise<Samples> {
  const handlerOf = opened(allSides, (side) => side.open(makeClient(), receiptWork));
  const sample = async (name: string) => {
    const handler = handlerOf(name);
    const events = Array.from({ length: batchesPerSample }, () => freshEvent(10));
    const before = process.cpuUsage();
    for (const event of events) await handler(event);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / (batchesPerSample * 10);
  };
  await inTurns(namesOf(allSides), warmUps, sample);
  return inTurns(namesOf(allSides), rounds, sample);
}
