import { Encoder, decode } from '@msgpack/msgpack';
import { liveMessages, type LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { keptFrom, keptText } from '@roomwire/shared/wire/bus/keptMeta';

/** The first byte of an array of three; that of a message alone is of more. */
const withPlace = 0x93;

const encoder = new Encoder();

/** A message of a topic with history is stored with its place, of which its position is made. */
export const packedMessage = (message: LiveMessage): Uint8Array => {
  const bytes = liveMessages.codec.encode(message);
  const { kept, place } = message;
  if (kept === undefined || place === undefined) return bytes;
  return encoder.encode([bytes, keptText(kept), [place.epoch, place.offset]]);
};

export const unpackedMessage = (bytes: Uint8Array): LiveMessage => {
  if (bytes[0] !== withPlace) return liveMessages.codec.decode(bytes);
  const [message, kept, [epoch, offset]] = decode(bytes) as [Uint8Array, string, [number, number]];
  return { ...liveMessages.codec.decode(message), kept: keptFrom(kept), place: { epoch, offset } };
};
