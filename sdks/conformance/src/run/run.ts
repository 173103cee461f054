import { Adapter, type AdapterCommand } from '../adapter/adapter.js';
import { playScenario } from '../play/playScenario.js';
import type { Scenario } from '../scenario/scenario.js';
import type { Deployments } from '../server/deployment.js';
import { Lanes } from './lanes.js';

/** Most of the time of a scenario is waiting. */
const atOnce = 12;
/** Starting a service is work. */
const ownServersAtOnce = 2;

/** Plays scenarios against one client library, several at a time. */
export class Run {
  private readonly deployments: Deployments;
  private readonly adapter: Adapter;
  private readonly lanes = new Lanes(atOnce);
  private readonly ownServers = new Lanes(ownServersAtOnce);

  private constructor(deployments: Deployments, adapter: Adapter) {
    [this.deployments, this.adapter] = [deployments, adapter];
  }

  static async start(deployments: Deployments, command: AdapterCommand): Promise<Run> {
    return new Run(deployments, await Adapter.start(command));
  }

  get language(): string {
    return this.adapter.hello.language;
  }

  /** The parts that a scenario needs and the library does not have. */
  lacking({ needs }: Scenario): readonly string[] {
    return needs.filter((part) => !this.adapter.hello.supports.includes(part));
  }

  /** Rejects with `ScenarioFailed`. */
  play(scenario: Scenario): Promise<void> {
    const { hasOwnServer } = scenario.given;
    return (hasOwnServer ? this.ownServers : this.lanes).take(async () => {
      const deployment = await this.deployments.take(scenario.given.settings, hasOwnServer);
      try {
        await playScenario(scenario, this.adapter, deployment);
      } finally {
        await deployment.close();
      }
    });
  }

  async close(): Promise<void> {
    await this.adapter.close();
    await this.deployments.close();
  }
}
