import { expect } from 'chai';
import { renderTable } from '@roomwire/analytics/report/formatReport';
import type { Comparison } from '../../src/measure/comparison.js';
import { chart, chartName } from '../../src/report/charts.js';
import { comparisonText, formatRatio, formatValue } from '../../src/report/text.js';

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

  it('has bars as long as the medians, and the highest value fills the space', () => {
    expect(widthsOf(chart(comparison([100, 200, 400], [100, 100, 100])))).to.deep.equal([190, 95]);
  });

  it('shows the range of the rounds', () => {
    expect(chart(comparison([100, 200, 400]))).to.include('<path d="M345 65H630" ');
  });

  it('omits what could not be measured', () => {
    const svg = chart(comparison([100], [Number.NaN], [50]));
    expect(widthsOf(svg)).to.deep.equal([380, 190]);
    expect(svg).not.to.include('peer 1').and.not.to.include('NaN');
  });

  it('is well-formed for any name', () => {
    expect(chart(comparison([0]))).to.include('>Speed &amp; &lt;light&gt;, 1:100</text>');
    expect(chartName(comparison())).to.equal('speed-light-1-100.svg');
  });
});

describe('The report', () => {
  it('shows about three significant digits', () => {
    expect([999, 1_234, 175_400, 3_456_789].map((rate) => formatValue(rate, 'rate'))).to.deep.equal([
      '999',
      '1.23 k',
      '175 k',
      '3.46 M',
    ]);
    expect([0.678, 12.34, 234.5].map((ms) => formatValue(ms, 'milliseconds'))).to.deep.equal([
      '0.68 ms',
      '12.3 ms',
      '235 ms',
    ]);
    expect(formatValue(99.6, 'percent')).to.equal('100 %');
    expect([formatValue(Number.NaN, 'count'), formatRatio(Number.NaN)]).to.deep.equal(['-', '-']);
  });

  it('aligns names to the left and numbers to the right', () => {
    expect(
      renderTable(
        ['', 'a/s'],
        [
          ['Roomwire', '1'],
          ['it', '22.5 k'],
        ],
      ),
    ).to.equal(
      [
        '|          |    a/s |',
        '| -------- | -----: |',
        '| Roomwire |      1 |',
        '| it       | 22.5 k |',
      ].join('\n'),
    );
  });

  it('compares every row with the first one', () => {
    const text = comparisonText({
      title: 'Speed',
      figures: [
        { name: 'speed', label: 'a/s', unit: 'rate' },
        { name: 'lost', label: 'lost', unit: 'count' },
      ],
      rows: [
        {
          peer: 'Roomwire',
          rounds: [
            { speed: 100, lost: 0 },
            { speed: 300, lost: 0 },
            { speed: 200, lost: 0 },
          ],
        },
        {
          peer: 'other',
          rounds: [
            { speed: 50, lost: 1 },
            { speed: 50, lost: 1 },
            { speed: 50, lost: 0 },
          ],
        },
      ],
      notes: ['in the dark'],
    });
    expect(text.split('\n')).to.include.members([
      '### Speed',
      '| Roomwire | 200 |        100 - 300 |            |    0 |',
      '| other    |  50 |          50 - 50 |      4.00x |    1 |',
      '- medians of 3 alternated rounds; a/s: more is better',
      '- in the dark',
    ]);
  });
});
