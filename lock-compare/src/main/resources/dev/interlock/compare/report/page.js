// The page's behaviour; inlined into report.html. Needs nothing but the page itself and Chart.js.
'use strict';
(() => {
  const root = document.documentElement;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const one = (selector) => document.querySelector(selector);

  // --- filters

  const rows = all('#rules tr[data-level]');
  const modes = all('.segments button');
  const level = one('#level');
  const search = one('#search');

  function shown(row) {
    const mode = modes.find((button) => button.getAttribute('aria-pressed') === 'true').value;
    const words = search.value.trim().toLowerCase();
    return (mode === 'all' || row.dataset[mode] === 'true')
      && (level.value === '' || row.dataset.level === level.value)
      && (words === '' || row.textContent.toLowerCase().includes(words));
  }

  function filter() {
    let count = 0;
    let heading = null;
    for (const row of all('#rules tbody tr')) {
      if (row.classList.contains('group')) {
        heading = row;
        heading.hidden = true;
      } else if (row.dataset.level) {
        row.hidden = !shown(row);
        if (!row.hidden) {
          count++;
          heading.hidden = false;
        }
      }
    }
    one('#count').textContent = count + ' of ' + rows.length + ' rules';
    one('#nothing').hidden = count > 0;
  }

  for (const button of modes) {
    button.addEventListener('click', () => {
      modes.forEach((other) => other.setAttribute('aria-pressed', String(other === button)));
      filter();
    });
  }
  level.addEventListener('change', filter);
  search.addEventListener('input', filter);
  filter();

  // --- evidence: every cell and rule has a dialog, and every dialog an address

  function open(id) {
    const dialog = document.getElementById(id);
    if (dialog instanceof HTMLDialogElement && !dialog.open) {
      all('dialog[open]').forEach((other) => other.close());
      dialog.showModal();
      dialog.scrollTop = 0;
      history.replaceState(null, '', '#' + id);
    }
  }

  document.addEventListener('click', (event) => {
    const opener = event.target.closest('[data-open]');
    if (opener) {
      open(opener.dataset.open);
    } else if (event.target instanceof HTMLDialogElement || event.target.closest('[data-close]')) {
      event.target.closest('dialog').close();
    }
  });
  all('dialog').forEach((dialog) => dialog.addEventListener('close', () => {
    if (location.hash === '#' + dialog.id) {
      history.replaceState(null, '', location.pathname + location.search);
    }
  }));
  const addressed = () => open(decodeURIComponent(location.hash.slice(1)));
  window.addEventListener('hashchange', addressed);
  addressed();

  // --- charts

  const data = JSON.parse(one('#data').textContent);
  const drawn = [];
  const colour = (name) => {
    const probe = document.createElement('i');
    probe.style.color = 'var(' + name + ')';
    document.body.append(probe);
    const value = getComputedStyle(probe).color;
    probe.remove();
    return value;
  };
  const number = (value) => value >= 100
    ? Math.round(value).toLocaleString('en')
    : Number(value.toPrecision(3)).toLocaleString('en');

  function draw() {
    drawn.splice(0).forEach((chart) => chart.destroy());
    const text = colour('--soft');
    const line = colour('--line');
    const markers = ['circle', 'rect', 'triangle', 'rectRot', 'star', 'cross', 'crossRot'];
    Chart.defaults.color = text;
    Chart.defaults.borderColor = line;
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    Chart.defaults.animation = false;
    for (const chart of data.charts) {
      const canvas = document.getElementById(chart.id);
      const bars = chart.type === 'bar';
      const value = {
        type: chart.logarithmic ? 'logarithmic' : 'linear',
        title: { display: true, text: chart.unit },
        beginAtZero: !chart.logarithmic,
        grid: { color: line },
        ticks: {
          maxTicksLimit: 7,
          callback: (tick) => !chart.logarithmic || /^[125]/.test(String(tick).replace(/[0.]/g, ''))
            ? number(tick) : null,
        },
      };
      const category = {
        type: 'category',
        title: { display: chart.across !== '', text: chart.across },
        grid: { display: false },
      };
      drawn.push(new Chart(canvas, {
        type: chart.type,
        data: {
          labels: chart.labels,
          datasets: chart.series.map((series) => {
            const own = colour('--p' + series.colour);
            return {
              label: series.provider,
              data: series.values,
              borderColor: own,
              backgroundColor: own,
              borderWidth: bars ? 0 : 2,
              borderRadius: 4,
              maxBarThickness: 26,
              pointStyle: markers[series.colour % markers.length],
              pointRadius: 4,
              tension: 0.2,
              spanGaps: true,
            };
          }),
        },
        options: {
          indexAxis: bars ? 'y' : 'x',
          maintainAspectRatio: false,
          interaction: { mode: 'index', axis: bars ? 'y' : 'x', intersect: false },
          scales: bars ? { x: value, y: category } : { x: category, y: value },
          plugins: {
            legend: { position: 'bottom', labels: { usePointStyle: true, boxHeight: 7, padding: 14 } },
            tooltip: {
              callbacks: {
                label: (item) => ' ' + item.dataset.label + ': '
                  + number(item.raw) + ' ' + chart.unit,
              },
            },
          },
        },
      }));
    }
  }

  // --- light and dark

  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  one('#theme').addEventListener('click', () => {
    const now = root.dataset.theme || (dark.matches ? 'dark' : 'light');
    root.dataset.theme = now === 'dark' ? 'light' : 'dark';
    draw();
  });
  dark.addEventListener('change', draw);
  draw();
})();
