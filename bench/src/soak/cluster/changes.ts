import { connect, type Client } from '@roomwire/sdk';
import { setTimeout as pause } from 'node:timers/promises';
import type { Findings } from '../findings.js';
import type { Cluster } from './cluster.js';

const betweenMs = 1_000;
const attemptMs = 10_000;
/** One in so many of those who were made is removed again, while it is connected. */
const removedEach = 4;

interface Made {
  readonly actorTokenId: string;
  readonly accessToken: string;
}

/** Makes and removes actors by REST all the time: what was answered must be so in the end, on every process. */
export class Changes {
  private readonly cluster: Cluster;
  private readonly findings: Findings;
  private readonly apiKey: string;
  private readonly kept: Made[] = [];
  private readonly removed: Made[] = [];
  private readonly connected: Client[] = [];
  private isOver = false;
  private running: Promise<void> = Promise.resolve();

  constructor(cluster: Cluster, findings: Findings, apiKey: string) {
    this.cluster = cluster;
    this.findings = findings;
    this.apiKey = apiKey;
  }

  begin(): void {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.running;
  }

  /** What is not as it was answered. */
  async broken(): Promise<readonly string[]> {
    const problems: string[] = [];
    for (const { baseUrl } of this.cluster.of('command-api'))
      for (const [made, status] of [
        [this.kept, 200],
        [this.removed, 404],
      ] as const)
        for (const { actorTokenId } of made) {
          const answer = await this.ask('GET', `/actors/${actorTokenId}`, undefined, baseUrl);
          if (answer?.status !== status)
            problems.push(`actor ${actorTokenId} is answered ${answer?.status}, not ${status}`);
        }
    const open = this.connected.filter(({ state }) => state.name !== 'closed');
    return [...problems, ...(open.length === 0 ? [] : [`${open.length} removed actors are still connected`])];
  }

  async close(): Promise<void> {
    await Promise.all(this.connected.map((client) => client.close()));
  }

  private async run(): Promise<void> {
    for (let turn = 1; !this.isOver; turn += 1) {
      await this.turn(turn);
      await pause(betweenMs);
    }
  }

  private async turn(turn: number): Promise<void> {
    const answer = await this.ask('POST', '/actors', { name: `actor ${turn}`, actorType: 'user' });
    this.findings.count(`actors made: ${answer?.status ?? 'no answer'}`);
    if (answer?.status !== 201) return;
    const made = answer.body as Made;
    if (turn % removedEach !== 0) return void this.kept.push(made);
    const client = connect({ url: this.cluster.gateways.socketUrl, token: made.accessToken });
    await Promise.race([client.ready().catch(() => undefined), pause(attemptMs)]);
    // Without an answer, it may be removed or not.
    const removal = await this.ask('DELETE', `/actors/${made.actorTokenId}`);
    this.findings.count(`actors removed: ${removal?.status ?? 'no answer'}`);
    if (removal?.status !== 204) return void client.close();
    this.connected.push(client);
    this.removed.push(made);
  }

  private async ask(
    method: string,
    path: string,
    body?: unknown,
    baseUrl = `http://127.0.0.1:${this.cluster.commandApis.port}`,
  ): Promise<{ readonly status: number; readonly body: unknown } | undefined> {
    try {
      const response = await fetch(`${baseUrl}/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${this.apiKey}`, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(attemptMs),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
    } catch {
      return undefined;
    }
  }
}
