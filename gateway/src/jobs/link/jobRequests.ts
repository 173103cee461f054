import { Encoder, decode } from '@msgpack/msgpack';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { withTimeout } from '@roomwire/shared/runtime/waiting';
import { processKey, shardKey, type JobNewsOf } from '@roomwire/shared/wire/bus/jobNews';
import type { JobLink } from './jobLink.js';
import type { ShardOwners } from './shardOwners.js';

export type JobOperation = JobNewsOf<'request'>['operation'];

/** Answers on the process that owns the shard. The values are what MessagePack can carry. */
export type AnswerRequest = (shard: number, operation: JobOperation, values: unknown) => Promise<unknown>;

export interface JobRequestsDeps {
  readonly link: Pick<JobLink, 'id' | 'send'>;
  readonly owners: Pick<ShardOwners, 'until'>;
  readonly answer: AnswerRequest;
}

interface Asked {
  resolve(values: unknown): void;
  reject(error: unknown): void;
}

const answerMs = 5_000;

/** Questions to the owner of a shard, wherever it is. */
export class JobRequests {
  private readonly deps: JobRequestsDeps;
  private readonly asked = new Map<number, Asked>();
  private readonly encoder = new Encoder({ ignoreUndefined: true });
  private refs = 0;

  constructor(deps: JobRequestsDeps) {
    this.deps = deps;
  }

  /** Rejects with `EngineUnavailable` where the owner does not answer. */
  async ask(shard: number, operation: JobOperation, values: unknown): Promise<unknown> {
    return withTimeout(answerMs, this.askOwner(shard, operation, values), unavailable, { unref: true });
  }

  /** Of another process. */
  async answer({ from, ref, term, operation, values }: JobNewsOf<'request'>, shard: number): Promise<void> {
    const to = { to: processKey(from), shard, term, ref };
    const send = (isDone: boolean, answered: unknown): void =>
      this.deps.link.send({
        ...{ kind: 'answer', ...to, isDone },
        values: this.encoder.encode(answered ?? null),
      });
    try {
      send(true, await this.deps.answer(shard, operation, decode(values)));
    } catch {
      send(false, null);
    }
  }

  take({ ref, isDone, values }: JobNewsOf<'answer'>): void {
    const asked = this.asked.get(ref);
    if (isDone) asked?.resolve(decode(values));
    else asked?.reject(new EngineUnavailable('jobs'));
  }

  private async askOwner(shard: number, operation: JobOperation, values: unknown): Promise<unknown> {
    const { link, owners, answer } = this.deps;
    const { id, term } = await owners.until(shard);
    if (id === link.id) return answer(shard, operation, values);
    const ref = ++this.refs;
    try {
      return await new Promise((resolve, reject) => {
        this.asked.set(ref, { resolve, reject });
        setTimeout(() => reject(new EngineUnavailable('jobs')), answerMs).unref();
        link.send({
          ...{ kind: 'request', to: shardKey(shard), from: link.id, term, ref, operation },
          values: this.encoder.encode(values),
        });
      });
    } finally {
      this.asked.delete(ref);
    }
  }
}

const unavailable = (): never => {
  throw new EngineUnavailable('jobs');
};
