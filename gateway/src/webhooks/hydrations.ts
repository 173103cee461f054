import { type WebhookAnswer, webhookCalls } from '@roomwire/shared/wire/bus/webhookCalls';
import { binaryFrame } from '@roomwire/shared/wire/protocol/encodeFrames';
import type { Webhook } from '@roomwire/shared/domain/app';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { Random } from '@roomwire/shared/ports/random';
import type { Client } from '../access/client.js';
import type { TopicAccess } from '../access/topicAccess.js';
import type { GatewayMetrics } from '../metrics.js';
import { newCall } from './webhookCalls.js';

/** A subscription whose topic may have a hydration webhook. */
export interface HydratedSubscription {
  readonly client: Client;
  readonly access: TopicAccess;
  readonly isJoined: boolean;
}

interface HydrationDeps {
  readonly bus: MessageBus;
  readonly metrics: GatewayMetrics;
  readonly random: Random;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly gatewayId: string;
}

interface Awaited {
  readonly subscription: HydratedSubscription;
  /** Internal: the actor may have moved to another scope since. */
  readonly topic: string;
  /** Monotonic clock. */
  readonly since: number;
}

/** Three attempts of 30 s and the waits between them, doubled for a consumer that lags. */
const timeoutMs = 200_000;
const maxAwaited = 100_000;
const nothing = new Uint8Array();

/** The pending hydration calls of this gateway. */
export class Hydrations {
  private readonly deps: HydrationDeps;
  /** Oldest first. */
  private readonly awaited = new Map<number, Awaited>();
  private lastNumber = 0;

  constructor(deps: HydrationDeps) {
    this.deps = deps;
  }

  /** Key of the answers channel. */
  get address(): string {
    return this.deps.gatewayId;
  }

  /** [HOOK-HYDRATE-1] Called after a subscribe took effect. The answer is sent as a frame; nothing waits for it. */
  ask(subscription: HydratedSubscription): void {
    const webhook = subscription.access.webhooks?.onSubscribe;
    if (webhook !== undefined) this.put(subscription, webhook);
  }

  /** [HOOK-HYDRATE-3] From the answers channel. A subscription that has ended meanwhile gets nothing. */
  readonly answered = ({ gatewayId, subscription: number, body }: WebhookAnswer): void => {
    if (gatewayId !== this.deps.gatewayId) return;
    const awaited = this.awaited.get(number);
    if (awaited === undefined) return;
    this.awaited.delete(number);
    const { client, isJoined, access } = awaited.subscription;
    if (!isJoined || client.isOver || access.topic !== awaited.topic) return;
    this.deps.metrics.hydrations++;
    client.outbox.push(binaryFrame(body));
  };

  private put(subscription: HydratedSubscription, webhook: Webhook): void {
    const { bus, metrics, random, logger, gatewayId } = this.deps;
    const number = this.await(subscription);
    const origin = { by: 'subscribe', gatewayId, subscription: number } as const;
    const reason = { kind: 'hydration', webhook, data: nothing, origin } as const;
    metrics.webhookCalls++;
    bus
      .put(webhookCalls, newCall(random, subscription.client.identity, subscription.access, reason))
      .catch((error: unknown) => {
        metrics.webhookCallsLost++;
        this.awaited.delete(number);
        logger.warn('A hydration call did not reach the bus', { error });
      });
  }

  private await(subscription: HydratedSubscription): number {
    const now = this.deps.clock.monotonic();
    for (const [number, { since }] of this.awaited) {
      if (since + timeoutMs > now && this.awaited.size < maxAwaited) break;
      this.awaited.delete(number);
    }
    this.awaited.set(++this.lastNumber, { subscription, topic: subscription.access.topic, since: now });
    return this.lastNumber;
  }
}
