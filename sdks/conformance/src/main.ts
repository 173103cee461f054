import process from 'node:process';
import { parseArgs } from 'node:util';
import { adapterCommand } from './adapter/adapters.js';
import { stepKinds } from './play/steps/steps.js';
import { onNewEngines } from './run/engines.js';
import { Run } from './run/run.js';
import { loadScenarios } from './scenario/loadScenarios.js';
import type { Scenario } from './scenario/scenario.js';
import { onFiles } from './server/files.js';

const { values } = parseArgs({
  options: {
    adapter: { type: 'string', default: 'typescript' },
    profile: { type: 'string', default: 'files' },
    only: { type: 'string', default: '' },
    list: { type: 'boolean', default: false },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);

type Result = 'passed' | 'failed' | 'skipped';

const play = async (run: Run, scenario: Scenario): Promise<Result> => {
  const lacking = run.lacking(scenario);
  if (lacking.length > 0) {
    say(`skipped  ${scenario.name}: ${run.language} lacks ${lacking.join(', ')}`);
    return 'skipped';
  }
  try {
    await run.play(scenario);
    say(`passed   ${scenario.name}: ${scenario.title}`);
    return 'passed';
  } catch (error) {
    say(`FAILED   ${error instanceof Error ? error.message : String(error)}`);
    return 'failed';
  }
};

const main = async (): Promise<number> => {
  const scenarios = (await loadScenarios(stepKinds)).filter(({ name }) => name.includes(values.only));
  if (values.list) {
    for (const { name, title } of scenarios) say(`${name}: ${title}`);
    return 0;
  }
  if (values.profile !== 'files' && values.profile !== 'engines')
    throw new TypeError('--profile is files or engines');
  const deployments = values.profile === 'files' ? onFiles() : await onNewEngines();
  const run = await Run.start(deployments, adapterCommand(values.adapter));
  const results = await Promise.all(scenarios.map((scenario) => play(run, scenario)));
  await run.close();
  const count = (result: Result): number => results.filter((one) => one === result).length;
  say(`${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`);
  return count('passed') === 0 || count('failed') > 0 ? 1 : 0;
};

process.exitCode = await main();
