import { renderTable } from '@roomwire/infra/report/table';
import { expect } from 'chai';
import { comparisonText } from '../../src/report/comparisonText.js';
import { formatRatio, formatValue } from '../../src/report/format.js';

describe('The report', () => {
  it('keeps three digits or so', () => {
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

  it('aligns names to the left and figures to the right', () => {
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
