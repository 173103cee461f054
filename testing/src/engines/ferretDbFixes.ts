export interface SourceFix {
  readonly why: string;
  readonly file: string;
  readonly find: string;
  readonly replacement: string;
}

const writesInTurn = `	var turn sync.Mutex
	for _, name := range []string{"insert", "update", "delete", "findAndModify", "findandmodify"} {
		handle := h.commands[name].Handler
		h.commands[name].Handler = func(ctx context.Context, msg *wire.OpMsg) (*wire.OpMsg, error) {
			turn.Lock()
			defer turn.Unlock()
			return handle(ctx, msg)
		}
	}

`;

const elemMatch =
  'func filterFieldExprElemMatch(doc *types.Document, filterKey, filterSuffix string, exprValue any) (bool, error) {\n';

const anyElementMatches = `// anyElementMatches tells whether conditions (operators or fields) hold together for one element of a list.
func anyElementMatches(list *types.Array, conditions *types.Document) (bool, error) {
	areOperators := false
	for _, key := range conditions.Keys() {
		if strings.HasPrefix(key, "$") && !slices.Contains([]string{"$and", "$or", "$nor"}, key) {
			areOperators = true
		}
	}
	for i := 0; i < list.Len(); i++ {
		element, isDocument := must.NotFail(list.Get(i)).(*types.Document)
		filter := conditions
		if areOperators {
			element = must.NotFail(types.NewDocument("element", must.NotFail(list.Get(i))))
			filter = must.NotFail(types.NewDocument("element", conditions))
		} else if !isDocument {
			continue
		}
		if matches, err := FilterDocument(element, filter); matches || err != nil {
			return matches, err
		}
	}
	return false, nil
}

`;

const asksAnyElement = `	if conditions, ok := exprValue.(*types.Document); ok {
		value, _ := doc.Get(filterSuffix)
		list, ok := value.(*types.Array)
		if !ok {
			return false, nil
		}
		return anyElementMatches(list, conditions)
	}

`;

const selectIndexed = `// selectIndexed selects by the strings that indexed fields must equal, or have in a list.
func selectIndexed(meta *metadata.Collection, filter *types.Document) (string, []any) {
	var clauses []string
	var args []any
	for _, index := range meta.Settings.Indexes {
		field := index.Key[0].Field
		value, _ := filter.Get(field)
		texts := wanted(value)
		if len(texts) == 0 || field != "_id" && slices.ContainsFunc(append(texts, field), isEscaped) {
			continue
		}
		column := fmt.Sprintf("%s->'%s'", metadata.DefaultColumn, field)
		places := strings.Repeat(",?", len(texts))[1:]
		clauses = append(clauses, fmt.Sprintf("(%[1]s IN (%[2]s) OR (%[1]s >= '[' AND %[1]s < ']'))", column, places))
		for _, text := range texts {
			args = append(args, string(must.NotFail(sjson.MarshalSingleValue(text))))
		}
	}
	if len(clauses) == 0 {
		return "", nil
	}
	return " WHERE " + strings.Join(clauses, " AND "), args
}

// wanted returns the strings of which a value must be one; none where it may be something else.
func wanted(value any) []string {
	if text, ok := value.(string); ok {
		return []string{text}
	}
	operators, ok := value.(*types.Document)
	if !ok {
		return nil
	}
	in, _ := operators.Get("$in")
	list, ok := in.(*types.Array)
	if !ok || list.Len() > 10_000 {
		return nil
	}
	texts := make([]string, list.Len())
	for i := range texts {
		if texts[i], ok = must.NotFail(list.Get(i)).(string); !ok {
			return nil
		}
	}
	return texts
}

func isEscaped(text string) bool {
	return strings.ContainsFunc(text, needsEscape)
}

// needsEscape tells whether SQL or JSON could spell a character in another way.
func needsEscape(r rune) bool {
	return !strings.ContainsRune("-_.: ", r) && (r < '0' || r > 'z' || (r > '9' && r < 'A') || (r > 'Z' && r < 'a'))
}

`;

const query =
  'func (c *collection) Query(ctx context.Context, params *backends.QueryParams) (*backends.QueryResult, error) {\n';

const selectsIndexed = `	if whereClause == "" && params.Filter.Len() > 0 {
		whereClause, args = selectIndexed(meta, params.Filter)
	}

	q += whereClause
`;

const onlyInDebugBuilds = '\tif !debugbuild.Enabled {\n\t\treturn\n\t}\n';

/** Where FerretDB 1.24.0 on SQLite does less than what every MongoDB does, and the tests need it. */
export const ferretDbFixes: readonly SourceFix[] = [
  {
    why: 'the index on _id has another expression than the look-ups by it, so that each of them reads the whole table',
    file: 'internal/backends/sqlite/metadata/metadata.go',
    find: `"->'$._id'"`,
    replacement: `"->'_id'"`,
  },
  {
    why: 'the same, on the side of the index',
    file: 'internal/backends/sqlite/metadata/registry.go',
    find: 'fields[j] = fmt.Sprintf("%q", f)',
    replacement: `fields[j] = fmt.Sprintf("'%s'", f)`,
  },
  {
    why: 'a condition beside _id makes the look-up read the whole table; the other conditions are checked afterwards in any case',
    file: 'internal/backends/sqlite/collection.go',
    find: 'if params.Filter.Len() == 1 {',
    replacement: 'if params.Filter.Len() > 0 {',
  },
  {
    why: 'no index but that on _id is ever used; again, all conditions are checked afterwards',
    file: 'internal/backends/sqlite/collection.go',
    find: '\tq += whereClause\n',
    replacement: selectsIndexed,
  },
  {
    why: 'the same, its import',
    file: 'internal/backends/sqlite/collection.go',
    find: '\t"strings"\n',
    replacement: '\t"slices"\n\t"strings"\n',
  },
  {
    why: 'the same, the conditions in SQL',
    file: 'internal/backends/sqlite/collection.go',
    find: `// Query implements backends.Collection interface.\n${query}`,
    replacement: `${selectIndexed}// Query implements backends.Collection interface.\n${query}`,
  },
  {
    why: 'an update command with a hundred updates holds a hundred connections, all there are, and waits for another one endlessly',
    file: 'internal/handler/msg_update.go',
    find: 'common.UpdateDocument(ctx, c, "update", iter, &u)\n',
    replacement: 'common.UpdateDocument(ctx, c, "update", iter, &u)\n\t\tcloser.Close()\n',
  },
  {
    why: 'an update reads, decides and writes without a lock; in MongoDB the change of one document is atomic',
    file: 'internal/handler/commands.go',
    find: '\tfor name, cmd := range h.commands {\n',
    replacement: `${writesInTurn}\tfor name, cmd := range h.commands {\n`,
  },
  {
    why: 'the same, its import',
    file: 'internal/handler/commands.go',
    find: '"log/slog"\n',
    replacement: '"log/slog"\n\t"sync"\n',
  },
  {
    why: '$elemMatch takes no fields, and looks for each operator in another element',
    file: 'internal/handler/common/filter.go',
    find: elemMatch,
    replacement: anyElementMatches + elemMatch + asksAnyElement,
  },
  ...['Track', 'Untrack'].map((name) => ({
    why: 'a tenth of all its time goes into stacks of what was never closed, which a debug build alone reports',
    file: 'internal/util/resource/resource.go',
    find: `func ${name}(obj any, token *Token) {\n`,
    replacement: `func ${name}(obj any, token *Token) {\n${onlyInDebugBuilds}`,
  })),
];
