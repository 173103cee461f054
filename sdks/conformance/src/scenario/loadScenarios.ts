import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseScenarios, type StepShapes } from './parseScenarios.js';
import type { Scenario } from './scenario.js';

const folder = fileURLToPath(new URL('../../../scenarios', import.meta.url));

/** Those of the kit, in the order of their files. Throws where one is malformed, or two have one name. */
export const loadScenarios = async (shapes: StepShapes): Promise<readonly Scenario[]> => {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.yaml')).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const scenarios = texts.flatMap((text) => parseScenarios(text, shapes));
  const names = scenarios.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`Two scenarios are called ${twice}`);
  return scenarios;
};
