import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { measure, type Measured } from './measure/measured.js';
import { placements } from './model/placement.js';
import { charts } from './report/charts.js';
import { figuresPage } from './report/page.js';
import { readScaleOptions, usage, type ScaleOptions } from './scaleOptions.js';

const run = async ({ sizes, seed, observed, out }: ScaleOptions): Promise<void> => {
  const clusters: Measured[] = [];
  for (const gateways of sizes)
    for (const placement of placements) {
      process.stderr.write(`${gateways} gateways, clients ${placement}\n`);
      clusters.push(await measure({ gateways, placement, seed, observed }));
    }
  const command = `npm run simulate:scale -- --sizes ${sizes.join()} --seed ${seed} --observed ${observed}`;
  const page = figuresPage(command, clusters);
  process.stdout.write(page);
  if (out === undefined) return;
  await mkdir(out, { recursive: true });
  await writeFile(join(out, 'figures.md'), page);
  for (const { name, svg } of charts(clusters)) await writeFile(join(out, name), svg);
};

/** Exit code 2: the command line. */
const main = async (): Promise<number> => {
  let options: ScaleOptions | undefined;
  try {
    options = readScaleOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${String(error)}\n\n${usage}`);
    return 2;
  }
  if (options === undefined) process.stdout.write(usage);
  else await run(options);
  return 0;
};

process.exitCode = await main();
