import type { ReactNode } from 'react';
import { useReadAgain } from '../../api/useReadAgain.js';
import { useGuardedChange } from '../../impact/useGuardedChange.js';
import { changesNow, type Edit } from './edit.js';
import type { ApiRecord } from './records.js';

export interface RecordChange<Shown, Changes> {
  /**
   * Resolves with whether it was made; rejects as the service does, and where somebody else has changed the same part since it was
   * shown.
   */
  readonly change: (edit: Edit<Shown, Changes>, title: string) => Promise<boolean>;
  /** To be shown by the component. */
  readonly question: ReactNode;
}

interface RecordShown<Shown, Changes> {
  readonly record: ApiRecord<Shown, Changes>;
  /** As the user sees it. */
  readonly shown: Shown;
  /** Told how the record is now, where that is why a change was refused: for what does not follow the page by itself. */
  readonly onStale?: ((now: Shown) => void) | undefined;
}

/** Changes a record as it is at that moment, after a question where that cuts somebody off. */
export const useRecordChange = <Shown, Changes extends object>({
  record,
  shown,
  onStale,
}: RecordShown<Shown, Changes>): RecordChange<Shown, Changes> => {
  const readAgain = useReadAgain();
  const { guard, question } = useGuardedChange();

  const bodyOf = async (edit: Edit<Shown, Changes>): Promise<Changes> => {
    const now = await record.read();
    const changes = changesNow(edit, shown, now);
    if (changes !== undefined) return changes;
    await readAgain();
    onStale?.(now);
    throw new Error('Somebody else has changed this meanwhile. Look at it again: it is shown as it is now.');
  };

  const change = async (edit: Edit<Shown, Changes>, title: string): Promise<boolean> =>
    guard({
      title,
      confirm: 'Change it',
      method: 'PATCH',
      path: record.path,
      body: await bodyOf(edit),
      run: async () => {
        // Read once more: the question may have stood there for long.
        await record.write(await bodyOf(edit));
        await readAgain();
      },
    });
  return { change, question };
};
