import type { Message } from '@roomwire/sdk';
import { bytesOf } from '../../components/dataText.js';
import type { ShownMessage } from './messageFeed.js';
import type { KeptMessage } from './model.js';

/** A message, live or of the history, as the lists and the details show it. */
export interface ShownEntry {
  readonly key: string;
  /** When a gateway accepted it, Unix milliseconds; of a server without `meta`, when it came. */
  readonly at: number;
  readonly id: string | undefined;
  /** Of its publisher; null for a backend, undefined where that is not known. */
  readonly from: string | null | undefined;
  readonly filter: string | undefined;
  readonly position: string | undefined;
  readonly isReplay: boolean;
  readonly data: unknown;
  /** The data is MessagePack that JSON cannot hold, as bytes. */
  readonly isEncoded?: true;
}

const entries = new WeakMap<Message, ShownEntry>();

/** The same for the same message: it is made again at each look at the list. */
export const entryOfMessage = ({ key, receivedAt, message }: ShownMessage): ShownEntry => {
  const kept = entries.get(message);
  if (kept !== undefined) return kept;
  const { data, meta, filter, isReplay, msgId } = message;
  const made = {
    key: `live-${key}`,
    at: meta?.at ?? receivedAt,
    id: meta?.id ?? msgId,
    from: meta === undefined ? undefined : meta.from,
    position: meta?.position,
    ...{ filter, isReplay, data },
  };
  entries.set(message, made);
  return made;
};

export const entryOfKept = (kept: KeptMessage): ShownEntry => ({
  key: `kept-${kept.position}`,
  at: Date.parse(kept.at),
  id: kept.id,
  from: kept.actorTokenId,
  filter: kept.filter ?? undefined,
  position: kept.position,
  isReplay: false,
  ...(kept.base64 === undefined ? { data: kept.data } : { data: bytesOf(kept.base64), isEncoded: true }),
});
