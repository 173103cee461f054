import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect } from 'chai';
import type { Api } from '../../../src/api/client.js';
import { roomsNamed } from '../../../src/pages/live/queries.js';
import type { OpenProject } from '../../../src/session/console.js';

describe('the rooms to choose from', () => {
  it('are still there while others of the app are looked for, and not those of another app', async () => {
    const rooms = [{ roomId: 'r', name: 'Lobby' }];
    const GET = () => Promise.resolve({ data: rooms, response: new Response() });
    const project = { projectId: 'p', api: { GET } as unknown as Api } as OpenProject;
    const client = new QueryClient();
    const found = new QueryObserver(client, roomsNamed(project, 'a', ''));
    const stop = found.subscribe(() => undefined);
    try {
      await found.refetch();
      found.setOptions(roomsNamed(project, 'a', 'lob'));
      expect(found.getCurrentResult()).to.include({ data: rooms, isPlaceholderData: true });
      found.setOptions(roomsNamed(project, 'b', ''));
      expect(found.getCurrentResult().data).to.equal(undefined);
    } finally {
      stop();
      client.clear();
    }
  });
});
