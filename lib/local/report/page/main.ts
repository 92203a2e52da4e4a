import './style.css';
import type { ReportData } from '../data.ts';
import { drawBars } from './bars.ts';
import { showStories } from './story.ts';
import { drawTimeline } from './timeline.ts';

const data = JSON.parse(document.getElementById('data')?.textContent ?? '') as ReportData;

const redraws = [
  drawTimeline(elementOf('timeline'), data),
  drawBars(elementOf('attempts'), data.attempts),
  drawBars(elementOf('settling'), data.settling),
];
showStories(data.stories);

/** Charts are pictures: they have to be painted again in other colours or another size. */
const redraw = () => {
  for (const draw of redraws) draw();
};
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
addEventListener('resize', redraw);
document.documentElement.dataset.drawn = 'true';

function elementOf(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no ${id}`);
  return element;
}
