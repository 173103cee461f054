import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import { EngineUnavailable } from '../../ports/errors.js';
import type {
  ClaimOutcome,
  PublishClaim,
  PublishIdStore,
  SentClaim,
  SettledClaim,
} from '../../ports/publishIds.js';
import { startExpirySweep, type ExpirySweep } from '../../runtime/expirySweep.js';
import { makeIndex } from '../mongo/collections.js';
import { openOnMongo, type MongoConnection, type MongoOptions } from '../mongo/connection.js';
import { decideClaim, sentNow, type KeptClaim } from './decideClaim.js';
import { inAnyOrder, MongoClaims, type ClaimDocument, type Decided } from './mongoClaims.js';
import { publishIdSettings, type PublishIdOptions, type PublishIdSettings } from './publishIdOptions.js';

/** Claims with one key, in their order. */
type Followers = readonly [PublishClaim, ...PublishClaim[]];

/** Removals in one request. */
const step = 1_000;

/** Publish ids in a collection of MongoDB. */
class MongoPublishIds implements PublishIdStore {
  private readonly connection: MongoConnection;
  private readonly settings: PublishIdSettings;
  private readonly documents: Collection<ClaimDocument>;
  private readonly claims: MongoClaims;
  private sweep: ExpirySweep | undefined;

  constructor(connection: MongoConnection, settings: PublishIdSettings) {
    this.connection = connection;
    this.settings = settings;
    this.documents = connection.database.collection('publish_ids');
    this.claims = new MongoClaims(this.documents, settings);
  }

  async prepare(): Promise<void> {
    await this.connection.call(() => makeIndex(this.documents, { expiresAt: 1 }));
    const { expiryEveryMs: everyMs, logger } = this.settings;
    this.sweep = startExpirySweep({
      ...{ what: 'Publish ids', everyMs, logger },
      removeSome: () => this.removeSome(),
    });
  }

  claim(claims: readonly PublishClaim[]): Promise<readonly ClaimOutcome[]> {
    return this.connection.call(async () => {
      const outcomes = new Map<PublishClaim, ClaimOutcome>();
      let waiting = byKey(claims);
      while (waiting.length > 0) {
        const decided = await this.claims.decide(waiting.map(([first]) => first));
        waiting = waiting.flatMap(([first, ...rest], index) => {
          const { outcome, kept } = decided[index] as Decided;
          outcomes.set(first, outcome);
          return this.decideFollowers(rest, kept, outcomes);
        });
      }
      return claims.map((claim) => outcomes.get(claim) as ClaimOutcome);
    });
  }

  sent(claims: readonly SentClaim[]): Promise<void> {
    return this.write(
      claims.map((claim) => ({
        updateOne: {
          filter: { _id: claim.key, messageId: claim.messageId },
          update: { $set: sentNow(claim) },
        },
      })),
    );
  }

  free(claims: readonly SettledClaim[]): Promise<void> {
    return this.write(
      claims.flatMap(({ key, messageId }) => [
        { deleteOne: { filter: { _id: key, messageId, isRepeated: false, state: { $ne: 'sent' } } } },
        givingUp({ key, messageId }, { isRepeated: true }),
      ]),
    );
  }

  giveUp(claims: readonly SettledClaim[]): Promise<void> {
    return this.write(claims.map((claim) => givingUp(claim)));
  }

  close(): Promise<void> {
    return this.connection.close(async () => this.sweep?.stop());
  }

  /** Returns those that would change what is kept, and those behind them: they take the next turn on the server. */
  private decideFollowers(
    claims: readonly PublishClaim[],
    kept: KeptClaim | undefined,
    outcomes: Map<PublishClaim, ClaimOutcome>,
  ): readonly Followers[] {
    for (const [index, claim] of claims.entries()) {
      const { outcome, keep } = decideClaim(claim, kept, this.settings.clock.now(), this.settings);
      if (keep !== undefined) return [[claim, ...claims.slice(index + 1)]];
      outcomes.set(claim, outcome);
    }
    return [];
  }

  private async write(operations: readonly AnyBulkWriteOperation<ClaimDocument>[]): Promise<void> {
    if (operations.length === 0) return;
    await this.connection.call(() => this.documents.bulkWrite(operations, inAnyOrder));
  }

  /** Not left to the server: its clock is not that of the gateways, and some servers remove nothing. */
  private async removeSome(): Promise<boolean> {
    try {
      return await this.connection.call(async () => {
        const expired = { expiresAt: { $lte: this.settings.clock.now() } };
        const found = await this.documents.find(expired, { projection: { _id: 1 }, limit: step }).toArray();
        if (found.length === 0) return false;
        await this.documents.deleteMany({ _id: { $in: found.map(({ _id }) => _id) }, ...expired });
        return found.length === step;
      });
    } catch (error) {
      // The outage is told of elsewhere.
      if (error instanceof EngineUnavailable) return false;
      throw error;
    }
  }
}

const byKey = (claims: readonly PublishClaim[]): readonly Followers[] => {
  const found = new Map<string, [PublishClaim, ...PublishClaim[]]>();
  for (const claim of claims) {
    const followers = found.get(claim.key);
    if (followers === undefined) found.set(claim.key, [claim]);
    else followers.push(claim);
  }
  return [...found.values()];
};

const givingUp = ({ key, messageId }: SettledClaim, also: { readonly isRepeated?: true } = {}) => ({
  updateOne: {
    filter: { _id: key, messageId, state: 'underway', ...also } as const,
    update: { $set: { state: 'givenUp' } } as const,
  },
});

/** Connects and makes the index; rejects with `EngineUnavailable` while the server is away. */
export const openMongoPublishIds = (
  server: MongoOptions,
  options: PublishIdOptions = {},
): Promise<PublishIdStore> =>
  openOnMongo(server, 'publish ids', async (connection) => {
    const store = new MongoPublishIds(connection, publishIdSettings(options));
    await store.prepare();
    return store;
  });
