import { expect } from 'chai';
import type { Comparison } from '../../src/measure/comparison.js';
import { chart, chartName } from '../../src/report/chart.js';

describe('A chart', () => {
  const comparison = (...rates: readonly (readonly number[])[]): Comparison => ({
    title: 'Speed & <light>, 1:100',
    figures: [{ name: 'speed', label: 'a/s', unit: 'rate' }],
    rows: rates.map((rounds, index) => ({
      peer: `peer ${index}`,
      rounds: rounds.map((speed) => ({ speed })),
    })),
    notes: [],
  });
  const widthsOf = (svg: string): readonly number[] =>
    [...svg.matchAll(/<rect x="250" y="\d+" width="([\d.]+)"/g)].map(([, width]) => Number(width));

  it('has bars as long as the medians, the highest figure being all there is room for', () => {
    expect(widthsOf(chart(comparison([100, 200, 400], [100, 100, 100])))).to.deep.equal([190, 95]);
  });

  it('shows from where to where the rounds were', () => {
    expect(chart(comparison([100, 200, 400]))).to.include('<path d="M345 65H630" ');
  });

  it('leaves out what could not be measured', () => {
    const svg = chart(comparison([100], [Number.NaN], [50]));
    expect(widthsOf(svg)).to.deep.equal([380, 190]);
    expect(svg).not.to.include('peer 1').and.not.to.include('NaN');
  });

  it('is well-formed whatever it is called', () => {
    expect(chart(comparison([0]))).to.include('>Speed &amp; &lt;light&gt;, 1:100</text>');
    expect(chartName(comparison())).to.equal('speed-light-1-100.svg');
  });
});
