import { expect } from 'chai';
import { barChart, columnChart } from '../src/report/svgCharts.js';
import { renderTable } from '../src/report/formatReport.js';

const heightsOf = (svg: string): readonly number[] =>
  [...svg.matchAll(/height="([\d.]+)" fill="#2f6fde"/g)].map(([, height]) => Number(height));

describe('A column chart', () => {
  const chart = (...values: readonly number[]): string =>
    columnChart({
      title: 'Over <time>',
      subtitle: 'UTC',
      columns: values.map((value, n) => ({ label: `label ${n}.`, value })),
      format: (value) => `${value} of them`,
    });

  it('has columns as high as the values, and the highest fills the space', () => {
    expect(heightsOf(chart(50, 0, 100))).to.eql([91, 0, 182]);
    expect(heightsOf(chart(0, 0))).to.eql([0, 0]);
    expect(chart(50, 100)).to.include('>100 of them</text>').and.include('Over &lt;time&gt;');
  });

  it('labels some of many columns', () => {
    const svg = chart(...new Array<number>(100).fill(1));
    expect(svg.match(/label \d+\./g)).to.have.lengthOf(6);
    expect(chart()).not.to.include('NaN');
  });
});

describe('A bar chart', () => {
  const bar = (value: number) => ({ label: 'it', value, text: `${value} %`, isStrong: true });

  it('may have space for more than the longest bar', () => {
    expect(barChart({ title: '', subtitle: '', bars: [bar(50)], full: 100 })).to.include('width="190"');
    expect(barChart({ title: '', subtitle: '', bars: [bar(50)] })).to.include('width="380"');
  });
});

describe('A table', () => {
  it('aligns as many columns to the left as contain text', () => {
    const [head, rule, row] = renderTable(['a', 'bc', 'd'], [['xx', 'y', '1']], 2).split('\n');
    expect([head, rule, row]).to.eql(['| a  | bc | d |', '| -- | -- | : |', '| xx | y  | 1 |']);
  });
});
