import { setTimeout as pause } from 'node:timers/promises';
import { pace } from '../../generator/pace.js';
import { httpRequest, openHttpConnection } from '../../generator/httpConnection.js';
import { startWorker, type Worker } from '../../process/worker.js';
import type { SoakedService } from '../service.js';
import { attacksNamed } from './attacks/attacks.js';
import type { AttackJob } from './attacker.js';
import { isForService, Latencies, type LatencyComparison, ownDelay } from './latencies.js';
import type { Outcomes } from './outcomes.js';
import { makeHostileTenant, startBadEndpoint, type HostileTenant } from './tenant.js';

/** The share of the time without attacks, which is what the attacked time is compared with. */
const calmShare = 0.25;
const longestRoundSeconds = 240;
const rounds = 5;
/** What is left of a phase after its end, such as sockets that are being closed, is of neither, nor is the end itself. */
const transitionMs = 3_000;
const readsPerSecond = 10;
const timerMs = 10;
const leastAttackSeconds = 3 * (transitionMs / 1_000);

/** How many times as long as alone others may wait, by the 99th percentile. */
const allowedRatio = 2;

/** A hostile tenant beside the crowd, and how long the crowd waits with and without it. */
export class Siege {
  readonly latencies = new Latencies();
  readonly outcomes: Outcomes = {};
  private readonly service: SoakedService;
  private readonly tenant: HostileTenant;
  private readonly worker: Worker<AttackJob, Outcomes>;
  private readonly endpoint: { close(): void };
  private readonly part: string;
  private failedReads = 0;

  private constructor(
    service: SoakedService,
    tenant: HostileTenant,
    worker: Worker<AttackJob, Outcomes>,
    endpoint: { close(): void },
    part: string,
  ) {
    this.service = service;
    this.tenant = tenant;
    this.worker = worker;
    this.endpoint = endpoint;
    this.part = part;
  }

  static async prepare(service: SoakedService, part: string): Promise<Siege> {
    const endpoint = await startBadEndpoint();
    const tenant = await makeHostileTenant(service, endpoint.url);
    const module = new URL('./attacker.js', import.meta.url);
    return new Siege(service, tenant, startWorker<AttackJob, Outcomes>(module, undefined), endpoint, part);
  }

  /** Calm and attacked phases in turn, so that what else the machine does meets both; `between` comes before each calm one. */
  async run(seconds: number, say: (text: string) => void, between: () => Promise<void>): Promise<void> {
    const end = performance.now() + seconds * 1_000;
    const round = Math.min(longestRoundSeconds, seconds / rounds);
    const reading = this.read(seconds);
    const stopTiming = this.timeTimers();
    while (performance.now() < end) {
      await between();
      await pause(transitionMs);
      this.latencies.phase = 'calm';
      await pause(round * calmShare * 1_000);
      this.latencies.phase = undefined;
      const left = (end - performance.now()) / 1_000;
      const attackSeconds = Math.min(left, round * (1 - calmShare));
      if (attackSeconds <= leastAttackSeconds) break;
      await this.attack(attackSeconds);
      say(this.latencies.compare().map(comparisonText).join(', '));
    }
    await reading;
    stopTiming();
  }

  async close(): Promise<void> {
    await this.worker.stop();
    this.endpoint.close();
  }

  /** What the siege fails for; none when it passes. */
  get failures(): readonly string[] {
    const unmet = attacksNamed(this.part).flatMap(({ name, met }) => {
      if (met === undefined || this.outcomes[`${name}: ${met}`] !== undefined) return [];
      return [`${name} never met ${met}`];
    });
    // Also true of NaN, where nothing was measured.
    const slowed = this.latencies
      .compare()
      .filter(({ wait, ratio }) => isForService(wait) && !(ratio <= allowedRatio));
    const failed = this.failedReads === 0 ? [] : [`${this.failedReads} REST reads of others failed`];
    return [...unmet, ...failed, ...slowed.map((one) => `others waited too long: ${comparisonText(one)}`)];
  }

  private async attack(seconds: number): Promise<void> {
    const attacking = this.worker.run({ tenant: this.tenant, seconds, part: this.part });
    await pause(transitionMs);
    this.latencies.phase = 'attacked';
    await pause(seconds * 1_000 - 2 * transitionMs);
    this.latencies.phase = undefined;
    for (const [outcome, times] of Object.entries(await attacking))
      this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + times;
  }

  /** Until the returned function is called. */
  private timeTimers(): () => void {
    let due = performance.now() + timerMs;
    const timer = setInterval(() => {
      const now = performance.now();
      this.latencies.record(ownDelay, Math.max(0, now - due));
      due = now + timerMs;
    }, timerMs);
    return () => clearInterval(timer);
  }

  /** A well-behaved user of the REST API. */
  private async read(seconds: number): Promise<void> {
    const { port, credentials } = this.service;
    const connection = await openHttpConnection(port);
    const request = httpRequest('GET', '/v1/apps', credentials.apiKey);
    let isBusy = false;
    await pace(readsPerSecond, seconds, () => {
      if (isBusy) return;
      isBusy = true;
      const begin = performance.now();
      connection.request(request).then(
        ({ status }) => {
          isBusy = false;
          this.latencies.record('REST read', performance.now() - begin);
          if (status !== 200) this.failedReads += 1;
        },
        () => (this.failedReads += 1),
      );
    });
    connection.end();
  }
}

const comparisonText = ({ wait, calmP99, attackedP99, ratio }: LatencyComparison): string =>
  `${wait} p99 ${calmP99.toFixed(1)} ms alone, ${attackedP99.toFixed(1)} ms attacked (${ratio.toFixed(2)} times)`;
