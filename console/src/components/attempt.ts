import { toast } from './Toast.js';

/** Does what a button asks for, and says what came of it: a form has its own way to show a refusal, a button has not. */
export const attempt = async (done: string, act: () => Promise<boolean | void>): Promise<void> => {
  try {
    if ((await act()) !== false) toast(done);
  } catch (error) {
    toast((error as Error).message);
  }
};
