import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type {
  BackendMessage,
  Publishers,
  Publishing,
  PublishResult,
} from '@roomwire/shared/ports/publishing';
import { acceptedAt } from '@roomwire/shared/wire/bus/messageId';
import type { PublishFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { RecentChanges } from '../access/recentChanges.js';
import { withoutWebhooks, type TopicRecord } from '../access/topicAccess.js';
import type { Plans } from '../limits/plans.js';
import { frameError } from '../policy/publishes.js';
import { Authors, type AuthorDeps } from './authors.js';
import { Publisher, type PublishAnswers } from './publisher.js';
import type { Positions } from './positions.js';
import type { Publish } from './publish.js';

export interface BackendPublishingDeps extends AuthorDeps {
  readonly plans: Plans;
  /** Of what is read here meanwhile. */
  readonly changes: Pick<RecentChanges, 'latest' | 'haveTouched'>;
  readonly publish: Publish;
  readonly positions: Pick<Positions, 'of'>;
}

/** Then it is read again, in case an event was missed. */
const planMs = 600_000;
const mostReads = 3;

/** Publishes that come by HTTP: each request is a publisher of its own. */
export class BackendPublishing implements Publishing {
  private readonly deps: BackendPublishingDeps;
  /** When the plan of an organization was last read; monotonic, milliseconds. */
  private readonly planReadAt = new Map<string, number>();

  constructor(deps: BackendPublishingDeps) {
    this.deps = deps;
  }

  async publish(of: Publishers, messages: readonly BackendMessage[]): Promise<readonly PublishResult[]> {
    await this.knowPlan(of.organizationId);
    const results = new Results(messages.length, this.deps.positions);
    const publisher = new Publisher(undefined, results);
    const authors = new Authors(of, this.deps);
    for (const [at, message] of messages.entries()) {
      const error = await this.publishOne(publisher, authors, message, at, results).catch(
        (failure: unknown) => {
          if (failure instanceof EngineUnavailable && at > 0) return 'brokerUnavailable' as const;
          throw failure;
        },
      );
      if (error !== undefined) results.is(at, { error });
    }
    return results.all();
  }

  /** The error of one that is not on its way. Resolves when the next may follow. */
  private async publishOne(
    publisher: Publisher,
    authors: Authors,
    message: BackendMessage,
    at: number,
    results: Results,
  ): Promise<ProtocolErrorName | undefined> {
    const { ended } = results;
    // [WS-ONCE-2] A duplicate uses no quota.
    if (ended !== undefined && (ended !== 'quotaExceeded' || message.id === undefined)) return ended;
    const error = frameError(message);
    if (error !== undefined) return error;
    // Only what has to be waited for is: it is mostly known, and a batch asks a hundred times.
    const finding = authors.find(message);
    const found = finding instanceof Promise ? await finding : finding;
    if (typeof found === 'string') return found;
    const resolved = found.rights(message.topic);
    const access = resolved instanceof Promise ? await resolved : resolved;
    if (access === undefined) return 'unknownTopic';
    if (access.history !== undefined) results.hasRecord(at, access.history);
    const turn = this.deps.publish(publisher, {
      author: found.author,
      frame: frameOf(message, at),
      access: runsTrigger(message) ? access : withoutWebhooks(access),
      isSilent: !runsTrigger(message),
    });
    if (turn !== undefined) await turn;
    return undefined;
  }

  /** The organization may have nobody connected here. What the feed of domain events says of it is known from then on. */
  private async knowPlan(organizationId: string): Promise<void> {
    const { plans, views, clock, changes } = this.deps;
    const now = clock.monotonic();
    if (now - (this.planReadAt.get(organizationId) ?? Number.NEGATIVE_INFINITY) < planMs) return;
    for (let attempt = 1; ; attempt += 1) {
      const before = changes.latest;
      const organization = await views.get('organizations', organizationId);
      if (organization === undefined) return;
      // A change that arrived meanwhile may not be in what was read.
      if (changes.haveTouched([organizationId], before) && attempt < mostReads) continue;
      plans.read(organizationId, organization.plan);
      this.planReadAt.set(organizationId, now);
      return;
    }
  }
}

/** [HTTP-PUB-1] */
const runsTrigger = ({ trigger, as }: BackendMessage): boolean => trigger ?? as !== undefined;

/** The place of the message in its request is its reference. */
const frameOf = (
  { topic, data, filter, filters, retain, qos, id, deliverAt }: BackendMessage,
  at: number,
): PublishFrame => ({
  ...{ type: 'publish', topic, data, filter, filters, retain, qos, id, deliverAt },
  msgRef: String(at),
});

/** [HTTP-PUB-8] [HTTP-PUB-10] What one message of a request is refused with, and all behind it. */
const lasting: ReadonlySet<ProtocolErrorName> = new Set(['quotaExceeded', 'brokerUnavailable']);

const isLasting = (result: PublishResult): boolean => 'error' in result && lasting.has(result.error);

/** Gathers what becomes of the messages of a request. */
class Results implements PublishAnswers {
  /** Somebody waits for the answer until it is complete. */
  readonly areOver = false;
  ended: ProtocolErrorName | undefined;
  private readonly results: PublishResult[] = [];
  private missing: number;
  private complete = (): void => undefined;
  private readonly positions: Pick<Positions, 'of'>;
  private readonly records = new Map<number, TopicRecord>();

  constructor(count: number, positions: Pick<Positions, 'of'>) {
    this.missing = count;
    this.positions = positions;
  }

  /** Its topic has history: the result says where it stands. */
  hasRecord(at: number, record: TopicRecord): void {
    this.records.set(at, record);
  }

  /** Requests have a rate of their own. */
  counted(): void {
    return undefined;
  }

  accepted: PublishAnswers['accepted'] = ({ msgRef, id }, published) => {
    const { messageId, isDuplicate, scheduledId, deliverAt } = published;
    const result = { id: id ?? messageId, at: acceptedAt(messageId), isDuplicate };
    const at = Number(msgRef);
    if (scheduledId !== undefined && deliverAt !== undefined)
      return this.is(at, { ...result, id: id ?? scheduledId, scheduled: { scheduledId, deliverAt } });
    const record = this.records.get(at);
    if (record === undefined) return this.is(at, result);
    void this.positions.of(record, published).then((position) => this.is(at, { ...result, position }));
  };

  refused: PublishAnswers['refused'] = ({ msgRef }, error) => {
    this.is(Number(msgRef), { error });
  };

  is(at: number, result: PublishResult): void {
    this.results[at] = result;
    if ('error' in result && isLasting(result)) this.ended ??= result.error;
    this.missing -= 1;
    if (this.missing === 0) this.complete();
  }

  async all(): Promise<readonly PublishResult[]> {
    if (this.missing > 0) await new Promise<void>((resolve) => (this.complete = resolve));
    const end = this.results.find(isLasting);
    if (end === undefined) return this.results;
    // Some may have been judged before it was known.
    const first = this.results.indexOf(end);
    return this.results.map((result, at) => (at > first && 'error' in result ? end : result));
  }
}
