import { expect } from 'chai';
import type { AdapterCommand } from '../src/adapter/adapter.js';
import { stepKinds } from '../src/play/steps/steps.js';
import { Results } from '../src/run/results.js';
import { Run } from '../src/run/run.js';
import { loadScenarios } from '../src/scenario/loadScenarios.js';
import type { Deployments } from '../src/server/deployment.js';

const scenarios = await loadScenarios(stepKinds);

/** Longer than the longest of all, which wait for one another. */
const timeoutMs = 240_000;

interface Library {
  readonly adapter: AdapterCommand;
  /** The scenarios that the library does not play, by name: a part of it that goes missing is noticed. */
  readonly skips: readonly string[];
}

/** A test of each scenario, which are all played at the same time. */
export const describeConformance = (
  title: string,
  { adapter, skips }: Library,
  open: () => Promise<Deployments>,
): void => {
  describe(title, function () {
    this.timeout(timeoutMs);
    let run: Run;
    let results: Results;

    before(async () => {
      run = await Run.start(await open(), adapter);
      results = new Results(
        run,
        scenarios.filter((scenario) => run.lacking(scenario).length === 0),
      );
    });
    after(() => run.close());

    it('plays every scenario but those that are known to be skipped', () => {
      const skipped = scenarios.filter((scenario) => run.lacking(scenario).length > 0);
      expect(skipped.map(({ name }) => name)).to.eql(skips);
    });

    for (const scenario of scenarios)
      if (!skips.includes(scenario.name))
        it(`${scenario.name}: ${scenario.title}`, () => results.of(scenario));
  });
};
