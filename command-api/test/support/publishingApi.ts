import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { mintToken } from '@roomwire/shared/credentials/secretToken';
import type { Permission } from '@roomwire/shared/domain/permission';
import type { Refusal } from '@roomwire/shared/ports/accessLog';
import type {
  BackendMessage,
  Publishers,
  Publishing,
  PublishResult,
} from '@roomwire/shared/ports/publishing';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { jsonAsMessagePack } from '@roomwire/shared/wire/protocol/jsonAsMessagePack';
import { createRecordingLogger, type RecordedLine } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { createCommandApi, type CommandApiDeps } from '../../src/commandApi.js';
import { RequestMetrics } from '../../src/http/requestTelemetry.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AnswerBody;
}

/** Of any shape: one of a result, of a list of results, or of an error. */
export interface AnswerBody {
  readonly id?: string;
  readonly error?: string;
  readonly code?: number;
  readonly maxSizeBytes?: number;
  readonly results?: readonly AnswerBody[];
  readonly message?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

interface Options {
  readonly messageRate?: number;
  /** Requests a second of the other routes. */
  readonly restRate?: number;
}

interface KeyFields {
  readonly projectId?: string | null;
  readonly permissions?: readonly Permission[] | null;
}

export const acceptedAt = Date.UTC(2026, 0, 31, 9, 30);

/** A value as MessagePack. */
export const packed = (value: unknown): Buffer => {
  const text = Buffer.from(JSON.stringify(value));
  return Buffer.from(jsonAsMessagePack(text, 0, text.length) ?? []);
};

/** The API in front of a fake publisher that accepts everything, unless it is told otherwise. */
export class PublishingApi {
  readonly clock = new ManualClock(acceptedAt);
  /** What the publisher was called with. */
  readonly calls: { readonly of: Publishers; readonly messages: readonly BackendMessage[] }[] = [];
  readonly refusals: Refusal[] = [];
  readonly metrics = new RequestMetrics();
  readonly lines: readonly RecordedLine[];
  readonly limits: LimitReports;
  organization: { status: string } = { status: 'active' };
  /** By the place of the message among those of a call. */
  outcome: (message: BackendMessage, at: number) => PublishResult = ({ id }, at) => ({
    ...{ id: id ?? `made-${at}`, at: acceptedAt, isDuplicate: false },
  });
  publishing: Publishing | undefined = {
    publish: async (of, messages) => {
      this.calls.push({ of, messages });
      return messages.map((message, at) => this.outcome(message, at));
    },
  };
  private readonly keys: object[] = [];
  private readonly server: Server;

  private constructor({ messageRate = 0, restRate = 0 }: Options) {
    const { logger, lines } = createRecordingLogger();
    this.lines = lines;
    const { clock, metrics } = this;
    this.limits = new LimitReports({ clock, logger });
    const views = {
      find: async (_view: string, { filter }: { filter: { keyId: string } }) =>
        this.keys.filter((key) => (key as { keyId: string }).keyId === filter.keyId),
      get: async (view: string) => (view === 'organizations' ? this.organization : {}),
    };
    const used = {
      ...{ clock, logger, metrics, random: systemRandom, limits: this.limits },
      views: views as unknown as ViewReader,
      sessions: { verify: async () => undefined },
      lastUses: { used: () => undefined },
      accessRecorder: { refused: (refusal: Refusal) => void this.refusals.push(refusal) },
      publishing: () => this.publishing,
      options: {
        ...{ messageRate, trustedProxies: 0, corsOrigins: undefined, failedAuthDelayMs: 0 },
        rateLimit: { perSecond: restRate, burst: restRate },
      },
    };
    // The other routes are not called.
    this.server = createServer(createCommandApi(used as unknown as CommandApiDeps));
  }

  static async open(options: Options = {}): Promise<PublishingApi> {
    const api = new PublishingApi(options);
    api.server.listen(0, '127.0.0.1');
    await once(api.server, 'listening');
    return api;
  }

  /** Of the last call. */
  get published(): readonly BackendMessage[] {
    return this.calls.at(-1)?.messages ?? [];
  }

  newKey({ projectId = 'p1', permissions = null }: KeyFields = {}): string {
    const { keyId, token, secretHash } = mintToken(systemRandom, 'ak_live');
    this.keys.push({
      ...{ keyId, secretHash, organizationId: 'o1', projectId, permissions },
      ...{ apiKeyId: keyId, allowedAddresses: null, expiresAt: null },
    });
    return token;
  }

  /** With a key of its own, unless one is given. */
  post(body: unknown, key?: string): Promise<Answer> {
    return this.send(JSON.stringify(body), { key });
  }

  async send(
    body: string | Uint8Array | undefined,
    { key = this.newKey(), type = 'application/json', headers = {}, path = '/publish' }: Sending = {},
  ): Promise<Answer> {
    const { port } = this.server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': type, ...headers },
      ...(body === undefined ? {} : { body: body as string }),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as AnswerBody,
    };
  }

  /** A MessagePack body. */
  sendPacked(body: Uint8Array, key?: string): Promise<Answer> {
    return this.send(body, { key, type: 'application/msgpack' });
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

interface Sending {
  readonly key?: string | undefined;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
}
