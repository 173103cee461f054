import type { Backoff } from './connection/reconnect.js';
import type { RoomwireError } from './errors.js';
import { systemRandom, systemSchedule, type Random, type Schedule } from './primitives.js';

/** Passed to the token function at every connect, and before a token expires. */
export interface TokenRequest {
  /** Why the last token was refused; undefined if it may be returned again. */
  readonly refused: RoomwireError | undefined;
}

/** There is one call at a time. A rejection, an empty token or a timeout is a failed attempt (`token_unavailable`) and is retried. */
export type TokenFunction = (request: TokenRequest) => string | Promise<string>;

/** How long the client waits, in milliseconds. */
export interface Timeouts {
  /** For the socket to open; 10 s by default. */
  readonly connectMs: number;
  /** For the reply to `auth`; 10 s by default. */
  readonly authMs: number;
  /** For the token function; 30 s by default. */
  readonly tokenMs: number;
  /** For the reply to a subscribe, an unsubscribe or a publish without an id; 30 s by default. */
  readonly requestMs: number;
  /**
   * For the reply to a publish with an id, over all connections on which it is sent; 60 s by default. If it is longer than the server remembers
   * ids (`ROOMWIRE_DEDUPLICATION_SECONDS`, 600 s by default), the message may be delivered twice.
   */
  readonly publishMs: number;
  /** For the closing handshake in `close()`; 2 s by default. */
  readonly closeMs: number;
}

export interface HeartbeatTimes {
  /** From one heartbeat to the next, in milliseconds. The server ends a connection after 60 s without a frame. */
  readonly intervalMs: number;
  /** A connection on which nothing arrives for this long after a heartbeat is dead, in milliseconds. */
  readonly timeoutMs: number;
}

export interface ClientOptions {
  /** WebSocket address, `ws://…/ws` or `wss://…/ws`. */
  readonly url: string;
  /**
   * An access token or a client token, or a function that returns one: it is called at every connect, and again before a token
   * expires; the connection then continues with the new one.
   */
  readonly token: string | TokenFunction;
  /** Distinguishes this client from others with the same token; for the persistent sessions of agents and orchestrators. */
  readonly clientId?: string;
  /** Shown in the server's log before authentication; has no other effect. */
  readonly projectId?: string;
  /**
   * Restores the subscriptions that the server has recorded for the actor (`reconnect: true` in the protocol), at every
   * connect. False by default: after a reconnect the client restores only its own subscriptions. Members of worker
   * groups need true to receive what was collected while they were away.
   */
  readonly resume?: boolean;
  /**
   * Asks the server to announce that a token is about to expire (`tokenExpiring`) and that a subscription has ended for lack of rights
   * (`subscriptionEnded`). True by default; needs `notices` in `client.features`.
   */
  readonly notices?: boolean;
  /** Waits between attempts; false closes the client at the first failure. See the README for the schedule. */
  readonly reconnect?: Partial<Backoff> | false;
  /** 30 s and 10 s by default. */
  readonly heartbeat?: Partial<HeartbeatTimes>;
  readonly timeouts?: Partial<Timeouts>;
  /** Source of random numbers for the waits; for tests. */
  readonly random?: Random;
  /** Timer; for tests. */
  readonly schedule?: Schedule;
  /** Clock, in Unix milliseconds; for tests. */
  readonly now?: () => number;
}

/** The options with every default filled in. */
export interface Settings {
  readonly url: string;
  readonly token: string | TokenFunction;
  readonly clientId: string | undefined;
  readonly projectId: string | undefined;
  readonly resume: boolean;
  readonly notices: boolean;
  readonly reconnect: Backoff | false;
  readonly heartbeat: HeartbeatTimes;
  readonly timeouts: Timeouts;
  readonly random: Random;
  readonly schedule: Schedule;
  readonly now: () => number;
}

const defaultBackoff: Backoff = {
  baseMs: 5_000,
  multiplier: 1.5,
  maxMs: 30_000,
  jitter: 0.5,
  restartSpreadMs: 3_000,
  earlyMs: [500, 1_000, 2_000],
  wellMs: 10_000,
};
const defaultHeartbeat: HeartbeatTimes = { intervalMs: 30_000, timeoutMs: 10_000 };
const defaultTimeouts: Timeouts = {
  ...{ connectMs: 10_000, authMs: 10_000, tokenMs: 30_000 },
  ...{ requestMs: 30_000, publishMs: 60_000, closeMs: 2_000 },
};

/** Throws one `TypeError` that names everything that is wrong. */
export const readOptions = (options: ClientOptions): Settings => {
  const settings: Settings = {
    url: options.url,
    token: options.token,
    clientId: options.clientId,
    projectId: options.projectId,
    resume: options.resume ?? false,
    notices: options.notices ?? true,
    reconnect: options.reconnect === false ? false : { ...defaultBackoff, ...options.reconnect },
    heartbeat: { ...defaultHeartbeat, ...options.heartbeat },
    timeouts: { ...defaultTimeouts, ...options.timeouts },
    random: options.random ?? systemRandom,
    schedule: options.schedule ?? systemSchedule,
    now: options.now ?? Date.now,
  };
  const problems = problemsOf(settings);
  if (problems.length > 0) throw new TypeError(`Roomwire options: ${problems.join('; ')}`);
  return settings;
};

const problemsOf = ({ url, token, reconnect, heartbeat, timeouts }: Settings): string[] => {
  const problems: string[] = [];
  const positive = (group: string, values: object): void => {
    for (const [name, value] of Object.entries(values) as [string, unknown][])
      if (!isDuration(value)) problems.push(`${group}.${name} must be above 0 and at most ${maxTimerMs}`);
  };
  if (!isSocketAddress(url)) problems.push('url must be a ws:// or wss:// address');
  if (typeof token !== 'function' && !isFilledText(token))
    problems.push('token must be a text or a function');
  positive('heartbeat', heartbeat);
  positive('timeouts', timeouts);
  if (reconnect === false) return problems;
  positive('reconnect', { baseMs: reconnect.baseMs, maxMs: reconnect.maxMs });
  if (!(reconnect.multiplier >= 1)) problems.push('reconnect.multiplier must be 1 or more');
  if (!(reconnect.jitter >= 0 && reconnect.jitter <= 1))
    problems.push('reconnect.jitter must be from 0 to 1');
  for (const name of ['restartSpreadMs', 'wellMs'] as const)
    if (!(reconnect[name] >= 0)) problems.push(`reconnect.${name} must be 0 or more`);
  positive('reconnect.earlyMs', reconnect.earlyMs);
  return problems;
};

/** A longer timer fires at once, in every environment. */
const maxTimerMs = 2_147_483_647;

const isDuration = (value: unknown): boolean => typeof value === 'number' && value > 0 && value <= maxTimerMs;

export const isFilledText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const isSocketAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, hash } = new URL(text);
  return (protocol === 'ws:' || protocol === 'wss:') && hash === '';
};
