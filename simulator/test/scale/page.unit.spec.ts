import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { measure, type Measured } from '../../src/scale/measure/measured.js';
import { placements } from '../../src/scale/model/placement.js';
import { charts } from '../../src/scale/report/charts.js';
import { figures } from '../../src/scale/report/figures.js';
import { figuresPage } from '../../src/scale/report/page.js';
import { shownNumber } from '../../src/scale/report/table.js';
import { readScaleOptions } from '../../src/scale/scaleOptions.js';
import { timeoutMs } from '../support/run.js';

/** From the built test. */
const docs = fileURLToPath(new URL('../../../../docs', import.meta.url));

/** As the command that the page names. */
const small = { sizes: [2, 4], seed: 1, observed: 2 };

/** The cells of all tables, whatever stands between them. */
const cellsOf = (text: string): readonly string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[\s:|-]+$/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

describe('the figures of clusters by size', () => {
  const clusters: Measured[] = [];

  before(async function () {
    this.timeout(timeoutMs);
    for (const gateways of small.sizes)
      for (const placement of placements) clusters.push(await measure({ ...small, gateways, placement }));
  });

  it('are in docs/SCALE.md as the command gives them for a small size', async () => {
    const page = await readFile(`${docs}/SCALE.md`, 'utf8');
    const [, shown = ''] = /<!-- small -->([^]*?)<!-- \/small -->/.exec(page) ?? [];
    expect(cellsOf(shown)).to.deep.equal(cellsOf(figuresPage('', clusters)));
  });

  it('are all in docs/scale/figures.md', async () => {
    const page = await readFile(`${docs}/scale/figures.md`, 'utf8');
    const names = cellsOf(page).map(([name = '']) => name);
    expect(names.filter((name) => name !== 'by gateway and second')).to.deep.equal(
      placements.flatMap(() => figures.map(({ name }) => name)),
    );
  });

  it('have charts in the page, with a bar for each cluster', async () => {
    const page = await readFile(`${docs}/SCALE.md`, 'utf8');
    const files = charts(clusters);
    expect(files.map(({ name }) => name)).to.have.members(
      figures.flatMap(({ chart }) => (chart === undefined ? [] : [`${chart}.svg`])),
    );
    for (const { name, svg } of files) {
      expect(page).to.include(`scale/${name}`);
      for (const { size } of clusters) expect(svg).to.include(`${size.gateways} gateways, ${size.placement}`);
    }
  });
});

describe('a figure', () => {
  it('is shown with three digits that count', () => {
    const shown = [0, 0.123_4, 9.876, 98.76, 987.6, 9_876, 1_234_567].map(shownNumber);
    expect(shown).to.deep.equal(['0', '0.123', '9.88', '98.8', '988', '9,880', '1,230,000']);
  });
});

describe('the options of the simulation of size', () => {
  it('are sizes in their order, a seed, how many gateways are looked at and where to write', () => {
    expect(readScaleOptions(['--sizes', '8,4', '--seed', '3'])).to.deep.equal({
      ...{ sizes: [4, 8], seed: 3, observed: 4, out: undefined },
    });
    expect(readScaleOptions(['--help'])).to.equal(undefined);
  });

  it('are refused where they are no numbers, or too small', () => {
    for (const args of [['--sizes', '1'], ['--sizes', '4,x'], ['--observed', '0'], ['--what']])
      expect(() => readScaleOptions(args), args.join()).to.throw();
  });
});
