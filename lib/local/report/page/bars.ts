import { BarChart } from 'echarts/charts';
import { GridComponent, TooltipComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import type { Bar } from '../data.ts';
import { colour, font } from './colours.ts';

use([BarChart, GridComponent, TooltipComponent, CanvasRenderer]);

/** A histogram. Answers what draws it again. */
export function drawBars(element: HTMLElement, bars: readonly Bar[]): () => void {
  const chart = init(element);
  const draw = () => {
    const axis = { axisLabel: { color: colour('quiet'), fontFamily: font }, axisTick: { show: false } };
    chart.resize();
    chart.setOption({
      animation: false,
      textStyle: { fontFamily: font },
      grid: { left: 8, right: 56, top: 8, bottom: 8, containLabel: true },
      tooltip: { trigger: 'item', formatter: '{b}: {c} messages' },
      xAxis: { type: 'value', show: false },
      yAxis: {
        ...axis,
        type: 'category',
        inverse: true,
        axisLine: { lineStyle: { color: colour('line') } },
        data: bars.map(({ label }) => label),
      },
      series: [
        {
          type: 'bar',
          data: bars.map(({ count }) => count),
          itemStyle: { color: colour('work'), borderRadius: [0, 3, 3, 0] },
          barMaxWidth: 22,
          label: {
            show: true,
            position: 'right',
            color: colour('text'),
            formatter: ({ value }: { value: unknown }) => Number(value).toLocaleString('en'),
          },
        },
      ],
    });
  };
  draw();
  return draw;
}
