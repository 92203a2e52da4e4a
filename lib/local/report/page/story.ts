import type { Step, Story } from '../data.ts';

/** How each kind of step is said, and whether it is good, bad or neither. */
const sayings: Readonly<Record<string, readonly [words: string, mood?: 'good' | 'bad' | 'odd']>> = {
  delivered: ['delivered'],
  claimed: ['claimed: the handler may run'],
  'taken-over': ['claimed after an attempt whose end is unknown', 'odd'],
  'in-flight': ['another attempt is running: back to the queue', 'odd'],
  duplicate: ['already done: answered with what was recorded', 'odd'],
  completed: ['completed: the outcome is recorded for good', 'good'],
  rejected: ['rejected: recorded as a no-op', 'good'],
  failed: ['failed: back to the queue', 'bad'],
  deferred: ['asked for later'],
  parked: ['parked: the dead-letter queue has it', 'good'],
  'park-failed': ['could not be parked yet', 'bad'],
  'fenced-out': ['fenced out: another attempt took over, nothing was written', 'odd'],
  'outcome-unrecorded': ['done, but the table could not be told', 'odd'],
  'store-unavailable': ['the table could not be reached: back to the queue', 'bad'],
  unstarted: ['returned before anything was done for it'],
  'follow-up-sent': ['a follow-up was sent'],
  'key-reused': ['the key was used with another payload', 'odd'],
  acknowledged: ['acknowledged: deleted from the queue', 'good'],
  returned: ['returned to the queue'],
  died: ['the worker ended without an answer', 'bad'],
  'timed-out': ['the worker took too long and was killed', 'bad'],
  threw: ['the whole batch failed', 'bad'],
  malformed: ['the answer could not be understood', 'bad'],
};

/** Lets the reader pick a message and tells what happened to it. */
export function showStories(stories: readonly Story[]): void {
  const select = document.getElementById('message') as HTMLSelectElement;
  const list = document.getElementById('story') as HTMLOListElement;
  select.replaceChildren(...stories.map(optionOf));
  const show = () => {
    const story = stories[select.selectedIndex];
    list.replaceChildren(...(story === undefined ? [] : story.steps.map((step) => itemOf(step, story))));
  };
  select.addEventListener('change', show);
  document.getElementById('another')?.addEventListener('click', () => {
    select.selectedIndex = (select.selectedIndex + 1) % Math.max(1, stories.length);
    show();
  });
  select.selectedIndex = indexOfMostEventful(stories);
  show();
}

function optionOf(story: Story): HTMLOptionElement {
  const deliveries = story.steps.filter(({ what }) => what === 'delivered').length;
  const attempts = Math.max(0, ...story.steps.map(({ attempt = 0 }) => attempt));
  return new Option(`${story.number}: ${deliveries} deliveries, ${attempts} attempts`, String(story.number));
}

function indexOfMostEventful(stories: readonly Story[]): number {
  const most = Math.max(0, ...stories.map(({ steps }) => steps.length));
  return stories.findIndex(({ steps }) => steps.length === most);
}

function itemOf(step: Step, story: Story): HTMLLIElement {
  const [words, mood = 'plain'] = sayings[step.what] ?? [step.what];
  const item = document.createElement('li');
  item.className = mood;
  const since = (step.at - (story.steps[0]?.at ?? 0)) / 1_000;
  const numbers = [
    step.attempt === undefined ? '' : `attempt ${step.attempt}`,
    step.fence === undefined ? '' : `fence ${step.fence}`,
    step.detail ?? '',
  ];
  item.append(
    part('time', `+${since.toFixed(2)} s`),
    part('worker', `worker ${step.worker}`),
    part('words', words),
    ...numbers.filter((text) => text !== '').map((text) => part('chip', text)),
  );
  return item;
}

function part(className: string, text: string): HTMLSpanElement {
  const span = document.createElement('span');
  span.className = className;
  span.textContent = text;
  return span;
}
