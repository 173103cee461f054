import type { Logger } from '@roomwire/shared/ports/logger';
import type { SubscribeFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import { protocolErrors, type ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { Client } from '../access/client.js';
import type { SubscribeRule } from '../access/subscribeRule.js';

interface RefusedClient extends Pick<Client, 'identity'> {
  subscribeRule(address: string): SubscribeRule;
}

/** The longest address that names a topic has as many characters. */
const shownCharacters = 302;

/** What is refused as an unknown topic is told apart for the operator alone. */
export const tellRefusedSubscribe = (
  logger: Pick<Logger, 'debug'>,
  client: RefusedClient,
  { topic, from }: Pick<SubscribeFrame, 'topic' | 'from'>,
  error: ProtocolErrorName,
): void => {
  const { actorTokenId, projectId } = client.identity;
  const found = error === 'unknownTopic' ? client.subscribeRule(topic) : undefined;
  // It may subscribe there: what it asks for besides is the history, or its rights have just changed.
  const isAllowed = found === 'open' || found === 'grant';
  const rule = isAllowed ? (from === undefined ? 'rights_changed' : 'capability') : found;
  const shown = topic.slice(0, shownCharacters);
  logger.debug('A subscribe was refused', {
    ...{ error: protocolErrors[error].error, rule, topic: shown, actorTokenId, projectId },
  });
};
