import { createContext, useContext } from 'react';

/** What the last try has found wrong, by the names of fields. */
export type FieldProblems = Readonly<Record<string, string>>;

export const FieldProblemsContext = createContext<FieldProblems>({});

/**
 * What is wrong with a field, until the next try. The library would take it away when the field is left, and with it the button that
 * somebody is about to press from under the pointer.
 */
export const useFieldProblem = (name: string): string | undefined => useContext(FieldProblemsContext)[name];
