import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { startLocalAws } from '../../lib/local/local-aws.ts';
import { startRunner } from '../../lib/local/runner.ts';

// A program for guardian.test.ts to kill: emulators, one worker that is paused, one that is busy in a loop
// and one that has started a process of its own.
const aws = await startLocalAws();
const { queueUrl } = await aws.createQueuePair({ name: 'orphans' });
let seen = 0;
const runner = await startRunner({
  aws,
  queueUrl,
  handler: 'test/local/handlers/obedient.handler',
  workers: 3,
  batchSize: 1,
  onEvent(event) {
    if (event.type !== 'step') return;
    if (event.step.seen === 'hang') runner.pause(event.worker);
    seen += 1;
    // Each order is told of once, and the bred process once more.
    if (seen === 4) process.stdout.write('all at work\n');
  },
});
for (const MessageBody of ['hang', 'spin', 'breed']) {
  await aws.sqs().send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody }));
}
