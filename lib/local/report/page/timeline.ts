import type { CustomSeriesRenderItem } from 'echarts';
import { CustomChart, ScatterChart } from 'echarts/charts';
import { DataZoomComponent, GridComponent, LegendComponent, TooltipComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import type { ReportData } from '../data.ts';
import { colour, font } from './colours.ts';

use([
  CustomChart,
  ScatterChart,
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  TooltipComponent,
  CanvasRenderer,
]);

const rowPixels = 34;
const chromePixels = 164;
const pieceMillis = 45_000;
/** The row after the workers'. */
const network = 'network';

/** What the workers did over time. Answers what draws it again. */
export function drawTimeline(element: HTMLElement, data: ReportData): () => void {
  const rows = Array.from({ length: data.workers }, (_, worker) => `worker ${worker}`);
  element.style.height = `${(rows.length + 1) * rowPixels + chromePixels}px`;
  const chart = init(element);
  const draw = () => {
    chart.resize();
    chart.setOption(optionsOf(data, [...rows, network]), { replaceMerge: ['series'] });
  };
  draw();
  // In a long run nothing can be told apart until it is looked at in pieces.
  if (data.lastsMillis > 2 * pieceMillis) {
    chart.dispatchAction({ type: 'dataZoom', startValue: 0, endValue: pieceMillis });
  }
  return draw;
}

function optionsOf(data: ReportData, rows: readonly string[]) {
  const label = { color: colour('quiet'), fontFamily: font };
  return {
    animation: false,
    textStyle: { fontFamily: font },
    grid: { left: 8, right: 16, top: 60, bottom: 64, containLabel: true },
    legend: { top: 0, left: 0, itemGap: 14, textStyle: { color: colour('text') }, icon: 'roundRect' },
    tooltip: {
      trigger: 'item',
      confine: true,
      backgroundColor: colour('surface'),
      borderColor: colour('line'),
      textStyle: { color: colour('text') },
      formatter: ({ data: item }: { data: readonly unknown[] }) => String(item.at(-1)),
    },
    dataZoom: [
      {
        type: 'slider',
        xAxisIndex: 0,
        bottom: 12,
        height: 26,
        showDetail: false,
        showDataShadow: false,
        borderColor: colour('line'),
        filterMode: 'weakFilter',
      },
      { type: 'inside', xAxisIndex: 0, filterMode: 'weakFilter', zoomOnMouseWheel: 'ctrl' },
    ],
    xAxis: {
      type: 'value',
      min: 0,
      max: data.lastsMillis,
      axisLabel: { ...label, hideOverlap: true, formatter: (millis: number) => `${seconds(millis)} s` },
      splitLine: { lineStyle: { color: colour('line') } },
    },
    yAxis: {
      type: 'category',
      inverse: true,
      data: rows,
      axisLabel: label,
      axisTick: { show: false },
      axisLine: { lineStyle: { color: colour('line') } },
    },
    series: seriesOf(data, rows.length - 1),
  };
}

function seriesOf({ spans, pauses, deaths, faults }: ReportData, networkRow: number) {
  const good = spans.filter(([, , , end]) => end === 'answered');
  const bad = spans.filter(([, , , end]) => end !== 'answered');
  const told = (from: number, to: number, what: string) => `${seconds(from)} to ${seconds(to)} s: ${what}`;
  const work = (all: typeof spans) =>
    all.map(([worker, from, to, end, messages]) => [
      worker,
      from,
      to,
      told(from, to, `${messages} message${messages === 1 ? '' : 's'}, ${end}`),
    ]);
  return [
    blocks('answered', colour('work'), 0.5, work(good)),
    blocks('did not answer', colour('bad'), 0.5, work(bad)),
    blocks(
      'asleep',
      colour('sleep'),
      0.85,
      pauses.map(([worker, from, to]) => [worker, from, to, told(from, to, 'stopped, then went on')]),
    ),
    marks(
      'ended',
      colour('text'),
      'diamond',
      deaths.map(([worker, at, where]) => [at, worker, `${seconds(at)} s: ended, ${where}`]),
    ),
    marks(
      'network fault',
      colour('fault'),
      'circle',
      faults.map(([at, kind, target]) => [
        at,
        networkRow,
        `${seconds(at)} s: ${target.replace(/^.*\./, '')}, ${kind === 'delay' ? 'held back' : 'landed, its reply lost'}`,
      ]),
    ),
  ];
}

function blocks(name: string, color: string, share: number, data: readonly (readonly unknown[])[]) {
  const renderItem: CustomSeriesRenderItem = (_, api) => {
    const [left = 0, middle = 0] = api.coord([api.value(1), api.value(0)]);
    const [right = 0] = api.coord([api.value(2), api.value(0)]);
    const height = rowPixels * share;
    return {
      type: 'rect',
      shape: { x: left, y: middle - height / 2, width: Math.max(1, right - left), height, r: 2 },
      style: { fill: color },
    };
  };
  return {
    type: 'custom',
    name,
    data,
    renderItem,
    clip: true,
    // All at once: a long run's later blocks would otherwise come in one by one.
    progressive: 0,
    color,
    itemStyle: { color },
    encode: { x: [1, 2], y: 0 },
  };
}

function marks(name: string, color: string, symbol: string, data: readonly (readonly unknown[])[]) {
  return {
    type: 'scatter',
    name,
    symbol,
    symbolSize: 9,
    data,
    color,
    itemStyle: { color, borderColor: colour('surface'), borderWidth: 1 },
    z: 5,
  };
}

function seconds(millis: number): string {
  return (millis / 1_000).toLocaleString('en', { maximumFractionDigits: millis < 10_000 ? 2 : 1 });
}
