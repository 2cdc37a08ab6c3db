import assert from "node:assert/strict";
import { test } from "node:test";
import { chart } from "../source/chart";
import { csv } from "../source/csv";
import { decode } from "../source/record";
import { packed } from "./packed";

test("the shown matrix is saved", async () => {
  const record = await decode(packed());
  const shown = chart(record, record.attentions[0], 0, 1, "pieces");
  const grid = {
    chart: shown,
    rows: [1, 3],
    columns: [0, 1],
    cell: 1,
    at: (r: number, c: number) => shown.row([1, 3][r])[c],
  };
  assert.equal(csv(grid), '"","·A","·🐕"\r\n"·Hu",0,1\r\n"‹end›",,\r\n');
});

test("formulas are escaped", async () => {
  const record = await decode(packed());
  const shown = chart(record, record.attentions[0], 0, 0, "words");
  shown.rows.units[0].label = '=cmd("x")';
  const grid = { chart: shown, rows: [0], columns: [], cell: 1, at: () => 0 };
  assert.equal(csv(grid), '""\r\n"\'=cmd(""x"")"\r\n');
});
