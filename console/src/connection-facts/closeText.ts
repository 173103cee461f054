import type { components } from '@roomwire/server';

type Close = Pick<components['schemas']['Connection'], 'closeCode' | 'closeReason' | 'closedBy'>;

/** Why it closed: in words where they say more than the reason that the client got. */
const reasonTexts: Readonly<Record<string, string>> = {
  gateway_lost: 'its gateway was lost',
  not_recorded: 'nobody saw its end',
  kicked: 'somebody closed it',
  slow_consumer: 'it read too slowly',
};

export const closeText = ({ closeCode, closeReason, closedBy }: Close): string => {
  const told = closeReason === null || closeReason === '' ? undefined : closeReason;
  const reason = told && (reasonTexts[told] ?? told.replaceAll('_', ' '));
  const by = closedBy === 'client' ? 'by the client' : undefined;
  const code = closeCode === null ? undefined : String(closeCode);
  return [by ?? reason, code].filter((part) => part !== undefined).join(', ');
};
