import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import type { Clock } from '../ports/clock.js';
import { EngineUnavailable } from '../ports/errors.js';
import { limitTable } from '../wire/limits/limitTable.js';

/**
 * The public keys of an OIDC issuer, read when they are needed and kept for ten minutes. A key that is not among them has
 * them read again, so that an issuer may rotate its keys at any time; but however many tokens name keys that do not exist,
 * and whether the issuer answers or not, it is asked at most once in `issuerPauseMs`.
 * Rejects with `EngineUnavailable` where the keys cannot be read, and with an error of jose where the token is at fault.
 */
export const createIssuerKeys = (jwksUrl: string, clock: Clock): JWTVerifyGetKey => {
  const pauseMs = limitTable.issuerPauseMs.value;
  let failedAt = Number.NEGATIVE_INFINITY;

  const load = async (url: string, request: RequestInit): Promise<Response> => {
    if (clock.monotonic() - failedAt < pauseMs) throw new EngineUnavailable('session issuer');
    try {
      return Response.json(await readKeys(url, request));
    } catch (cause) {
      failedAt = clock.monotonic();
      throw new EngineUnavailable('session issuer', { cause });
    }
  };
  return createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: limitTable.issuerAnswerMs.value,
    cooldownDuration: pauseMs,
    [customFetch]: load,
  });
};

/** The time-out of the request holds for its body too. */
const readKeys = async (url: string, request: RequestInit): Promise<unknown> => {
  const response = await fetch(url, request);
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`The issuer answered ${response.status}`);
  }
  const document = JSON.parse(await textWithin(response, limitTable.issuerKeysBytes.value)) as unknown;
  if (!isKeySet(document)) throw new Error('The answer of the issuer is no set of keys');
  return document;
};

const textWithin = async ({ body }: Response, mostBytes: number): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    // Leaving the loop cancels the body.
    if (bytes > mostBytes) throw new Error(`The answer of the issuer is larger than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const isKeySet = (value: unknown): boolean => {
  const { keys } = (value ?? {}) as { readonly keys?: unknown };
  return Array.isArray(keys) && keys.every((key) => typeof key === 'object' && key !== null);
};
