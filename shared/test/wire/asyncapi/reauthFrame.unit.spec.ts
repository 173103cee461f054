import { expectDescribed } from '@roomwire/testing/clients/describedFrames';

describe('the AsyncAPI description of a reauth', () => {
  it('[WS-REAUTH-1] has the exp of the token unchanged, also a fraction of a second', () => {
    for (const authExpiresAt of [1_767_229_200, 1_767_229_200.5])
      expectDescribed('server', { type: 'reauth', success: true, authExpiresAt });
  });
});
