import type { Buffer } from 'node:buffer';
import { acceptedAt, givenIdOf } from '@roomwire/shared/wire/bus/messageId';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { binaryFrame, bodyWithMeta } from '@roomwire/shared/wire/protocol/encodeFrames';
import type { MessageMeta } from '@roomwire/shared/wire/protocol/serverFrames';

type Described = Pick<LiveMessage, 'id' | 'publisher'>;

/** [WS-META-2] */
export const metaOf = ({ id, publisher }: Described): MessageMeta => ({
  id: givenIdOf(id) ?? id,
  at: acceptedAt(id),
  from: publisher === '' ? null : publisher,
});

/** [WS-META-3] The frames of a message for those who ask for `meta` and for the others, each made once and only if somebody gets it. */
export class MessageFrames {
  private readonly message: Described & Pick<LiveMessage, 'body'>;
  private withoutMeta: Buffer | undefined;
  private withMeta: Buffer | undefined;

  constructor(message: Described & Pick<LiveMessage, 'body'>) {
    this.message = message;
  }

  get plain(): Buffer {
    return (this.withoutMeta ??= binaryFrame(this.message.body));
  }

  for({ meta }: { readonly meta: boolean }): Buffer {
    if (!meta) return this.plain;
    return (this.withMeta ??= binaryFrame(bodyWithMeta(this.message.body, metaOf(this.message))));
  }
}
