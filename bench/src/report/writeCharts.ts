import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Comparison } from '../measure/comparison.js';
import { chart, chartName } from './chart.js';

/** One file a comparison, in a folder that is made when it is not there. */
export const writeCharts = async (folder: string, comparisons: readonly Comparison[]): Promise<void> => {
  await mkdir(folder, { recursive: true });
  for (const comparison of comparisons)
    await writeFile(join(folder, chartName(comparison)), chart(comparison));
};
