import { styleText } from 'node:util';
import { Command } from 'commander';
import type { Named, Patient } from '../doctor/consumers.ts';
import type { Facts } from '../doctor/facts.ts';
import type { Finding, Level } from '../doctor/finding.ts';
import { environmentHelp, exitCode } from './exit-code.ts';
import { counted } from './texts.ts';
import { jsonText, visible } from './visible.ts';

interface DoctorOptions extends Named {
  readonly json?: true;
}

/** `sqs-once doctor`: what is wrong with a deployed consumer. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Look at a deployed consumer and say what is wrong with it. Changes nothing.')
    .option('--queue <name>', "the queue's name, URL or ARN")
    .option('--function <name>', "the function's name or ARN")
    .option('--table <name>', 'the claim table (default: what the function has in SQS_ONCE_TABLE)')
    .option('--stack <name>', 'every consumer of a CloudFormation stack')
    .option('--json', 'one JSON document instead of text')
    .addHelpText('after', '\nOne of --queue, --function and --stack is enough: the rest is found from there.')
    .addHelpText('after', '\nExit codes:\n  0  no errors; there may be warnings\n  1  errors, or wrong use')
    .addHelpText('after', environmentHelp)
    .action(examine);
}

async function examine(options: DoctorOptions): Promise<void> {
  const { queue, function: fn, stack, json } = options;
  if (stack !== undefined && (queue !== undefined || fn !== undefined)) {
    throw new Error('give --stack, or --queue and --function, not both');
  }
  if (queue === undefined && fn === undefined && stack === undefined) {
    throw new Error('give --queue, --function or --stack');
  }
  // Loaded when it is asked for: the clients of five services are no use to the other commands.
  const [{ awsClients }, { lookAtConsumers }, { checkUp }] = await Promise.all([
    import('./doctor-clients.ts'),
    import('../doctor/consumers.ts'),
    import('../doctor/check-up.ts'),
  ]);
  const patients = await lookAtConsumers(awsClients(), options);
  const blind = patients.find(
    ({ facts }) => facts.queue.status === 'unseen' && facts.function.status === 'unseen',
  );
  if (blind !== undefined)
    throw new Error(`neither queue nor function can be checked: ${whyOf(blind.facts)}`);
  const reports = patients.map((patient) => ({ ...patient, findings: checkUp(patient.facts) }));
  const errors = reports.flatMap(({ findings }) => findings).filter(({ level }) => level === 'error');
  if (json) {
    const consumers = reports.map(({ name, findings }) => ({ consumer: name, findings }));
    console.log(jsonText({ errors: errors.length, consumers }));
  } else {
    for (const report of reports) console.log(reportText(report));
  }
  if (errors.length > 0) process.exitCode = exitCode.failed;
}

/** Whatever was asked first says best what is in the way: rights, the Region, the network. */
function whyOf({ mapping, queue }: Facts): string {
  const look = [queue, mapping].find(({ status }) => status === 'unseen');
  return look?.status === 'unseen' ? look.why : 'nothing leads to them';
}

const looks: Readonly<Record<Level, { readonly colour: 'red' | 'yellow' | 'dim'; readonly word: string }>> = {
  error: { colour: 'red', word: 'error  ' },
  warning: { colour: 'yellow', word: 'warning' },
  unseen: { colour: 'dim', word: 'unseen ' },
};

export function reportText({
  name,
  findings,
}: Pick<Patient, 'name'> & { readonly findings: readonly Finding[] }): string {
  if (findings.length === 0)
    return `${styleText('bold', visible(name))}\n  ${styleText('green', 'nothing is wrong')}\n`;
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length;
  const sum = `${counted(count('error'), 'error')}, ${counted(count('warning'), 'warning')}, ${count('unseen')} not checked`;
  return [styleText('bold', visible(name)), ...findings.map(findingText), `  ${sum}`, ''].join('\n');
}

function findingText({ id, level, what, why, fix }: Finding): string {
  const { colour, word } = looks[level];
  const head = `  ${styleText(colour, word)}  ${visible(what)} ${styleText('dim', `(${id})`)}`;
  if (level === 'unseen') return head;
  return [head, `           why  ${visible(why)}`, `           fix  ${visible(fix)}`].join('\n');
}
