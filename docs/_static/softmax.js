// The sliders of lesson 3: scores to drag, and their softmax.
for (const lab of document.querySelectorAll(".softmax-lab")) {
  const words = JSON.parse(lab.dataset.words);
  const scores = JSON.parse(lab.dataset.scores);
  const reach = Math.ceil(Math.max(...scores.map(Math.abs))) + 2;
  let temperature = 1;
  const current = [...scores];

  const slider = (label, low, high, value, change) => {
    const input = document.createElement("input");
    Object.assign(input, { type: "range", min: low, max: high, step: 0.1, value });
    input.setAttribute("aria-label", label);
    input.addEventListener("input", () => change(Number(input.value)));
    return input;
  };
  const cell = (row, content) => {
    const td = row.insertCell();
    td.append(content);
    return td;
  };

  const table = document.createElement("table");
  table.innerHTML = "<thead><tr><th>word</th><th>score</th><td></td><th>weight</th></tr></thead>";
  const body = table.createTBody();
  const rows = words.map((word, s) => {
    const row = body.insertRow();
    cell(row, word);
    const input = slider(`Score of ${word}`, -reach, reach, scores[s], (value) => {
      current[s] = value;
      show();
    });
    cell(row, input);
    const bar = document.createElement("span");
    bar.className = "bar";
    return { input, number: cell(row, ""), weight: cell(row, bar), bar, text: row.insertCell() };
  });
  table.tHead.rows[0].append(document.createElement("td"));

  const show = () => {
    const scaled = current.map((score) => score / temperature);
    const highest = Math.max(...scaled);
    const powers = scaled.map((score) => Math.exp(score - highest));
    const total = powers.reduce((sum, power) => sum + power, 0);
    rows.forEach(({ number, bar, text }, s) => {
      number.textContent = current[s].toFixed(1);
      bar.style.width = `${(100 * powers[s]) / total}%`;
      text.textContent = (powers[s] / total).toFixed(3);
    });
    value.textContent = temperature.toFixed(1);
  };

  const value = document.createElement("output");
  const heat = slider("Temperature", 0.1, 5, 1, (chosen) => {
    temperature = chosen;
    show();
  });
  const controls = document.createElement("p");
  const button = (text, change) => {
    const element = document.createElement("button");
    element.textContent = text;
    element.addEventListener("click", () => {
      change();
      rows.forEach(({ input }, s) => {
        input.value = current[s];
      });
      show();
    });
    return element;
  };
  const all = (change) => () => current.forEach((score, s) => (current[s] = change(score, s)));
  controls.append(
    "temperature ",
    heat,
    value,
    button("all + 2", all((score) => score + 2)),
    button("all × 2", all((score) => score * 2)),
    button("reset", all((_, s) => scores[s])),
  );
  lab.replaceChildren(controls, table);
  show();
}
