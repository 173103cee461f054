import type { Scenario } from '../scenario/scenario.js';
import type { Run } from './run.js';

/** Plays all scenarios of a run at once, for tests that are looked at one after the other. */
export class Results {
  private readonly run: Run;
  private readonly outcomes = new Map<Scenario, Promise<void>>();

  constructor(run: Run, scenarios: readonly Scenario[]) {
    this.run = run;
    for (const scenario of scenarios) {
      const outcome = run.play(scenario);
      // A test looks at it later.
      outcome.catch(() => undefined);
      this.outcomes.set(scenario, outcome);
    }
  }

  /** How it came out; asked for once more, it is played once more. */
  async of(scenario: Scenario): Promise<void> {
    const outcome = this.outcomes.get(scenario) ?? this.run.play(scenario);
    this.outcomes.delete(scenario);
    await outcome;
  }
}
