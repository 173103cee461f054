import type { ReactNode } from 'react';
import { useReadAgain } from '../../../api/useReadAgain.js';
import { answerOf } from '../../../api/failure.js';
import { useGuardedChange } from '../../../impact/useGuardedChange.js';
import { useProject } from '../../../session/console.js';
import type { App, AppChanges } from '../model.js';

/** Changes an app, after a question where that cuts somebody off. */
export const useAppChange = (
  app: App,
): {
  readonly change: (body: AppChanges, title: string) => Promise<boolean>;
  readonly question: ReactNode;
} => {
  const { api } = useProject();
  const readAgain = useReadAgain();
  const { guard, question } = useGuardedChange();
  const { appId } = app;
  const change = (body: AppChanges, title: string): Promise<boolean> =>
    guard({
      title,
      confirm: 'Change it',
      method: 'PATCH',
      path: `/apps/${appId}`,
      body,
      run: async () => {
        await answerOf(api.PATCH('/apps/{appId}', { params: { path: { appId } }, body }));
        await readAgain();
      },
    });
  return { change, question };
};
