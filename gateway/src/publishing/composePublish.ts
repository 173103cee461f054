import type { Clock } from '@roomwire/shared/ports/clock';
import type { History } from '@roomwire/shared/ports/history';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { MessageStore } from '@roomwire/shared/ports/messageStore';
import type { Publishing } from '@roomwire/shared/ports/publishing';
import type { PublishIds } from '@roomwire/shared/ports/publishIds';
import type { Random } from '@roomwire/shared/ports/random';
import type { Tracing } from '@roomwire/shared/ports/tracing';
import type { RetainStamps } from '../fanout/retainedValues.js';
import type { UsageLedger } from '../limits/usageLedger.js';
import type { GatewayMetrics } from '../metrics.js';
import { createTrigger } from '../webhooks/webhookCalls.js';
import type { MessageIds } from './messageIds.js';
import { BackendPublishing, type BackendPublishingDeps } from './backendPublishing.js';
import { Positions } from './positions.js';
import { createPublish, type Publish } from './publish.js';
import { PublishClaims } from './publishClaims.js';
import { createPublishToBus } from './publishToBus.js';
import { createRecorder } from './recording.js';

/** Where messages go, and what is kept about them. */
export interface PublishPorts {
  readonly bus: MessageBus;
  /** Undefined where messages are not recorded; subscribers then get no message ids. */
  readonly messageStore: MessageStore | undefined;
  /** The ids that publishers give to their messages. */
  readonly publishIds: PublishIds;
  /** The record of topics with history. Undefined where nothing is kept. */
  readonly history: History | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Undefined where nothing is traced. */
  readonly tracing: Tracing | undefined;
}

interface PublishParts extends Omit<BackendPublishingDeps, 'clock' | 'publish' | 'positions'> {
  readonly metrics: GatewayMetrics;
  readonly stamps: RetainStamps;
  readonly usageLedger: UsageLedger;
  readonly ids: MessageIds;
}

/** The two ways of publishing. */
interface ComposedPublish {
  /** Of sockets. */
  readonly publish: Publish;
  /** Of backends. */
  readonly publishing: Publishing;
}

/** Longer than the store leaves an id to a publisher that may be gone. */
const patienceMs = 25_000;
const pollMs = 100;

/** What a publish passes, from its admission to the bus. */
export const composePublish = (ports: PublishPorts, parts: PublishParts): ComposedPublish => {
  const { bus, clock, random, logger, tracing, messageStore, publishIds, history } = ports;
  const { metrics, stamps, usageLedger, ids } = parts;
  const claims = new PublishClaims({ store: publishIds, ids, logger, pollMs, patienceMs });
  const positions = new Positions({ history, logger });
  const publishToBus = createPublishToBus({
    ...{ tracing, bus, metrics, logger, stamps, ids, claims },
    showsIds: messageStore !== undefined,
    record: createRecorder({ messageStore, metrics, logger }),
    trigger: createTrigger({
      bus,
      metrics,
      random,
      logger,
      positionOf: (record, sent) => positions.of(record, sent),
    }),
  });
  const publish = createPublish({ usageLedger, claims, publishToBus, metrics });
  return { publish, publishing: new BackendPublishing({ ...parts, clock, publish, positions }) };
};
