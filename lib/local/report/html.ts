import type { PageAssets } from './bundle-page.ts';
import type { ReportData } from './data.ts';

/** The whole report as one page that needs nothing else. */
export function reportPage(data: ReportData, { script, styles }: PageAssets): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Chaos report: ${data.divergences.length} divergences</title>
<style>${styles}</style>
</head>
<body>
<main>
${header(data)}
${facts(data)}
${divergences(data)}
<section>
<h2>The workers, from start to end</h2>
<p>A row is a worker. A block is one invocation of the handler; a pale one is a process that was stopped and later went on, not knowing how much time had passed. A mark is the end of a process; another takes its place. Move and zoom with the slider below, by pinching, or with Ctrl and the wheel; a long run begins with its first part.</p>
<div id="timeline" class="chart tall" role="img" aria-label="Timeline of the workers"></div>
</section>
${points(data)}
<section class="pair">
<div><h2>Attempts</h2><p>How often the handler was started for one message. A killed worker's messages need another.</p><div id="attempts" class="chart" role="img" aria-label="Messages by number of attempts"></div></div>
<div><h2>Time to settle</h2><p>From a message's first delivery until its outcome was recorded for good.</p><div id="settling" class="chart" role="img" aria-label="Messages by time to settle"></div></div>
</section>
<section>
<h2>One message's way</h2>
<p>${storiesNote(data)}</p>
<div class="picker"><label for="message">Message</label><select id="message"></select><button type="button" id="another">Another</button></div>
<ol id="story"></ol>
</section>
${glossary()}
<footer>Written ${escaped(data.writtenAt)} by <code>sqs-once chaos</code>, seed ${data.seed}. Charts by Apache ECharts, Apache License 2.0.</footer>
</main>
<script type="application/json" id="data">${safeJson(data)}</script>
<script>${script.replaceAll('</script', '<\\/script')}</script>
</body>
</html>
`;
}

function header({ divergences, messages, workers, lastsMillis, deaths, pauses }: ReportData): string {
  const good = divergences.length === 0;
  const verdict = good ? 'Nothing lost, nothing done twice' : 'Something was lost or done twice';
  const seconds = Math.round(lastsMillis / 1_000);
  return `<header>
<p class="badge ${good ? 'good' : 'bad'}">${number(divergences.length)} divergences</p>
<h1>${verdict}</h1>
<p class="lead">${number(messages)} messages went through a queue to ${number(workers)} worker processes in ${number(seconds)} seconds. Meanwhile workers were ended ${number(deaths.length)} times and put to sleep ${number(pauses.length)} times, messages came twice, and the network lost replies. Then everything the work left behind was compared with what was ordered.</p>
</header>`;
}

function facts({ facts: all }: ReportData): string {
  const items = all.map(
    ({ name, value, meaning }) =>
      `<div><dt>${escaped(name)}</dt><dd><strong>${escaped(value)}</strong><small>${escaped(meaning)}</small></dd></div>`,
  );
  return `<section><h2>The run in numbers</h2><dl class="facts">${items.join('')}</dl></section>`;
}

const mostDivergences = 200;

function divergences({ divergences: all }: ReportData): string {
  if (all.length === 0) return '';
  const items = all.slice(0, mostDivergences).map((divergence) => `<li>${escaped(divergence)}</li>`);
  const rest = all.length - mostDivergences;
  const more = rest > 0 ? `<p>and ${number(rest)} more</p>` : '';
  return `<section><h2>Divergences</h2><ul class="divergences">${items.join('')}</ul>${more}</section>`;
}

function points({ points: all }: ReportData): string {
  if (all.length === 0) return '';
  const rows = all.map(
    ({ name, says, times }) =>
      `<tr><td><code>${escaped(name)}</code></td><td>${escaped(says)}</td><td class="number">${number(times)}</td></tr>`,
  );
  return `<section><h2>Named points</h2><p>Moments at which a worker was made to end on purpose, each of them a place where work is easily lost or repeated.</p><table><thead><tr><th>point</th><th>the worker ends</th><th class="number">times</th></tr></thead><tbody>${rows.join('')}</tbody></table></section>`;
}

function storiesNote({ stories, messages }: ReportData): string {
  return stories.length >= messages
    ? 'Everything that happened to one message: pick any.'
    : `Everything that happened to one message: ${number(stories.length)} of ${number(messages)} are here, mostly those to which most happened.`;
}

const words = {
  claim: 'the conditional write by which one attempt wins a message',
  fence: 'a number that rises by one with every claim; a process with an old one can no longer write',
  attempt: 'one claimed run of the handler',
  takeover: 'a claim after an attempt whose end is unknown, because its process died or slept',
  'fenced out': 'a process woke up, found its claim taken over, and wrote nothing',
  duplicate: 'a delivery of a message whose outcome was recorded already: answered with it, not run',
  parked: 'a message that cannot succeed was sent to the dead-letter queue with its reason',
  divergence: 'a difference between what was ordered and what is there in the end',
};

function glossary(): string {
  const items = Object.entries(words).map(
    ([word, meaning]) => `<dt>${escaped(word)}</dt><dd>${escaped(meaning)}</dd>`,
  );
  return `<section><details><summary>What the words mean</summary><dl class="words">${items.join('')}</dl></details></section>`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** JSON that cannot end the script it stands in. */
function safeJson(data: ReportData): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}
