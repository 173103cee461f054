import { useState, type ReactNode } from 'react';
import { ApiFailure } from '../api/failure.js';
import { ConfirmDialog } from '../components/ConfirmDialog.js';
import { useProject } from '../session/console.js';
import { cutsNobodyOff, impactOf, type Change, type Impact } from './impact.js';
import { ImpactShown } from './ImpactShown.js';

interface Waiting {
  readonly title: string;
  readonly confirm: string;
  /** Undefined where nobody could say. */
  readonly impact: Impact | undefined;
  readonly run: () => Promise<unknown>;
  readonly settle: (isDone: boolean) => void;
}

interface Guarded extends Change {
  /** `Disable the app` */
  readonly title: string;
  /** The button: `Disable it`. */
  readonly confirm: string;
  /** Makes the change. */
  readonly run: () => Promise<unknown>;
}

/**
 * Makes a change at once where it cuts nobody off, and asks first where it does. Resolves with whether it was made; rejects as the
 * change does.
 */
export const useGuardedChange = (): {
  readonly guard: (change: Guarded) => Promise<boolean>;
  /** To be shown by the component. */
  readonly question: ReactNode;
} => {
  const { api } = useProject();
  const [waiting, setWaiting] = useState<Waiting>();

  const guard = async ({ title, confirm, run, ...change }: Guarded): Promise<boolean> => {
    const impact = await impactOf(api, change).catch((error: unknown) => {
      // The change itself would be refused: its form shows why.
      if (error instanceof ApiFailure && [400, 404, 409].includes(error.status)) throw error;
      return undefined;
    });
    if (impact !== undefined && cutsNobodyOff(impact)) {
      await run();
      return true;
    }
    return new Promise((resolve) => setWaiting({ title, confirm, impact, run, settle: resolve }));
  };

  const end = (isDone: boolean): void => {
    waiting?.settle(isDone);
    setWaiting(undefined);
  };

  const question = waiting && (
    <ConfirmDialog
      title={waiting.title}
      confirm={waiting.confirm}
      isOpen
      onClose={() => end(false)}
      onConfirm={async () => {
        await waiting.run();
        end(true);
      }}
    >
      <ImpactShown impact={waiting.impact} />
    </ConfirmDialog>
  );
  return { guard, question };
};
