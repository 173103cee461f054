import { useProject } from '../../../session/console.js';
import type { App, AppChanges } from '../model.js';
import { appRecord } from '../records.js';
import { useRecordChange, type RecordChange } from '../useRecordChange.js';

/** Changes an app that is shown. */
export const useAppChange = (shown: App, onStale?: (now: App) => void): RecordChange<App, AppChanges> => {
  const { api } = useProject();
  return useRecordChange({ record: appRecord(api, shown), shown, onStale });
};
