import { setTimeout as pause } from 'node:timers/promises';
import { type Client, connect } from '@roomwire/sdk';
import { inTurn } from '../../generator/pace.js';
import type { Stoppable } from '../../process/children.js';
import type { Findings } from '../findings.js';
import type { Cluster } from './cluster.js';
import { type Course, isQuiet } from './course.js';
import type { Member } from './member.js';

const betweenMs = 1_000;
const answerMs = 10_000;
/** One in so many of those who were made is removed again, while it is connected. */
const removedEach = 4;
const readsAtOnce = 16;

interface Made {
  readonly actorTokenId: string;
  readonly accessToken: string;
}

interface ChangesDeps {
  readonly cluster: Cluster;
  readonly findings: Findings;
  readonly course: Course;
  readonly apiKey: string;
}

interface Answer {
  /** Undefined: there was none. */
  readonly status: number | undefined;
  readonly text: string;
}

/** Makes and removes actors by REST all the time, on each command-api in turn: what was answered must be so in the end, on both. */
export class Changes implements Stoppable {
  private readonly deps: ChangesDeps;
  /** By id, the status with which a read of it has to be answered; those are left out that were right on every command-api. */
  private readonly expected = new Map<string, number>();
  /** Of removed actors that were connected. */
  private readonly connected: Client[] = [];
  private isOver = false;
  private running: Promise<void> = Promise.resolve();

  constructor(deps: ChangesDeps) {
    this.deps = deps;
  }

  begin(): void {
    this.running = this.run();
  }

  /** Resolves when the last one has been answered. */
  async end(): Promise<void> {
    this.isOver = true;
    await this.running;
  }

  /** What is not as it was answered. */
  async broken(): Promise<readonly string[]> {
    const ids = [...this.expected.keys()];
    const problems: string[] = [];
    await inTurn(ids.length, readsAtOnce, async (index) => {
      problems.push(...(await this.brokenOf(ids[index] as string)));
    });
    const open = this.connected.filter(({ state }) => state.name !== 'closed').length;
    return [...problems, ...(open === 0 ? [] : [`${open} removed actors are still connected`])];
  }

  async stop(): Promise<void> {
    await this.end();
    await Promise.all(this.connected.map((client) => client.close()));
  }

  private async run(): Promise<void> {
    const apis = this.deps.cluster.of('command-api');
    for (let turn = 1; !this.isOver; turn += 1) {
      await this.turn(apis[turn % apis.length] as Member, turn % removedEach === 0);
      await pause(betweenMs);
    }
  }

  private async turn(api: Member, isRemoved: boolean): Promise<void> {
    const { cluster } = this.deps;
    const made = await this.change(api, 'POST', '/actors', 201, { name: 'actor', actorType: 'user' });
    if (made === undefined) return;
    const { actorTokenId, accessToken } = JSON.parse(made) as Made;
    if (!isRemoved) return void this.expected.set(actorTokenId, 200);
    const client = connect({ url: cluster.gateways.socketUrl, token: accessToken });
    await isConnected(client);
    const wasConnected = client.state.name === 'connected';
    const removed = await this.change(api, 'DELETE', `/actors/${actorTokenId}`, 204);
    // Without an answer, it may be removed or not.
    if (removed !== undefined) this.expected.set(actorTokenId, 404);
    if (removed === undefined || !wasConnected) return client.close();
    this.connected.push(client);
  }

  /** The body of the answer, if it is that of success. */
  private async change(
    api: Member,
    method: string,
    path: string,
    success: number,
    body?: unknown,
  ): Promise<string | undefined> {
    const { course, findings } = this.deps;
    const { phase } = course;
    const { status, text } = await this.ask(api, method, path, body);
    findings.count(`${method} of an actor: ${status ?? 'no answer'}`);
    if (status === success) return text;
    if (isQuiet(phase))
      findings.violated(`${method} ${path} was answered ${status} while all was well: ${text}`);
    return undefined;
  }

  private async brokenOf(actorTokenId: string): Promise<readonly string[]> {
    const expected = this.expected.get(actorTokenId);
    const statuses = await Promise.all(
      this.deps.cluster.of('command-api').map((api) => this.ask(api, 'GET', `/actors/${actorTokenId}`)),
    );
    const wrong = statuses.filter(({ status }) => status !== expected);
    if (wrong.length === 0) this.expected.delete(actorTokenId);
    return wrong.map(({ status }) => `actor ${actorTokenId} is answered ${status}, not ${expected}`);
  }

  private async ask({ baseUrl }: Member, method: string, path: string, body?: unknown): Promise<Answer> {
    try {
      const response = await fetch(`${baseUrl}/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${this.deps.apiKey}`, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(answerMs),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, text: await response.text() };
    } catch {
      // The process is away, or about to go.
      return { status: undefined, text: '' };
    }
  }
}

const isConnected = async (client: Client): Promise<void> => {
  const over = new AbortController();
  const late = pause(answerMs, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([client.ready().catch(() => undefined), late]);
  over.abort();
};
