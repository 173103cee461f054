import type { FieldProblem } from '../api/failure.js';

type Named = HTMLInputElement | HTMLTextAreaElement;

/** Required fields in which nothing stands. Where a field shows one text and holds another, it is what it holds. */
export const missingFields = (form: HTMLFormElement): readonly FieldProblem[] =>
  [...form.querySelectorAll<Named>('[aria-required=true]')].flatMap((shown) => {
    const held = shown.name ? shown : shown.closest('.field')?.querySelector<Named>('[name]');
    return held && held.value.trim() === '' ? [{ path: held.name, message: 'This is needed' }] : [];
  });
